/** @type {Record<string, string>} */
const texts = Object.assign({}, ...Array.from(templates(), ({ dataset }) => ({ ...dataset })));
// What people wrote stands apart: a name in Latin letters must not turn an Arabic sentence around.
const [OPEN, CLOSE] = document.documentElement.dir === "rtl" ? ["\u2068", "\u2069"] : ["", ""];

/**
 * What to say, in the language of the page, which gives its scripts all their words.
 * @param {string} key @param {Record<string, string | number>} [values] of the names in braces
 */
export function words(key, values = {}) {
  return fillPlaceholders(texts[key] ?? "", values);
}

/**
 * The same about so many things: the page gives a form for each plural that its language has.
 * @param {string} key @param {number} count @param {Record<string, string>} [values]
 */
export function pluralize(key, count, values = {}) {
  const forms = JSON.parse(texts[key] ?? "{}");
  const plural = new Intl.PluralRules(document.documentElement.lang).select(count);
  return fillPlaceholders(forms[plural] ?? forms.other ?? "", { count, ...values });
}

/** @returns {NodeListOf<HTMLElement>} */
function templates() {
  return document.querySelectorAll("template.words");
}

/** @param {string} text @param {Record<string, string | number>} values */
function fillPlaceholders(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => `${OPEN}${values[name]}${CLOSE}`);
}
