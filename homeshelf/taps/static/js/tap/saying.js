// The words of the page. Not by `words.js`, which this page does without.

/** @param {string} key @param {Record<string, string | number>} [values] */
export function words(key, values = {}) {
  const text = document.getElementById("words")?.dataset[key] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/**
 * What can be done now that could not be done before.
 * @param {Pick<import("./pressing.js").Tap, "delta" | "undo">[]} taps
 */
export function meant(taps) {
  const sum = taps.reduce((total, { delta }) => total + delta, 0);
  if (taps.some(({ undo }) => undo) || !sum) return words(taps.length > 1 ? "tryAgain" : "undo");
  return words(sum < 0 ? "take" : "add", { count: Math.abs(sum) });
}
