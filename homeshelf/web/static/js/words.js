const said = document.getElementById("words")?.dataset ?? {};

/**
 * What to say, in the language of the page, which gives its scripts all their words.
 * @param {string} key @param {Record<string, string | number>} [values] of the names in braces
 */
export function words(key, values = {}) {
  return (said[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
