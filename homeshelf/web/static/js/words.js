/** @type {Record<string, string>} */
const texts = Object.assign({}, ...Array.from(templates(), ({ dataset }) => ({ ...dataset })));
// Isolates values, so that a Latin name does not reorder an Arabic sentence.
const [OPEN, CLOSE] = document.documentElement.dir === "rtl" ? ["\u2068", "\u2069"] : ["", ""];

/**
 * Return a message in the page's language, from the page's templates.
 * @param {string} key @param {Record<string, string | number>} [values] of the placeholders
 */
export function words(key, values = {}) {
  return fillPlaceholders(texts[key] ?? "", values);
}

/**
 * Return the plural form of a message for `count`.
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
