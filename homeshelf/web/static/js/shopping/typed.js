// What somebody types, as entries: names, how many, and what else they said. The same rules as in
// homeshelf/shopping/typed.py; tests/shopping/typed_cases.json holds both to them.
import { plain, spaced } from "./names.js";
import { NO_THINGS, PIECES, UNITS, UNITS_OF } from "./units.js";

/** @typedef {{name: string, quantity: number | null, notes: string | null}} TypedEntry */
const LONGEST = 150; // what is longer is no entry
const D = "[0-9\\u0660-\\u0669]";
const LETTER = "[\\p{L}\\p{Nl}\\p{No}]";
const BETWEEN = new RegExp(`[\\r\\n\\u2028\\u2029;\\u061b\\u060c\\u3001\\uff0c]|(?<!${D}),|,(?!${D})`, "u");
const BULLETS = /^(?:(?:[-*•·–—‣◦▪☐☑✓✔]|\[[ xX]?\]|[0-9]{1,3}[.)]) +){0,2}/u;
const COUNT = `[1-9\\u0661-\\u0669]${D}{0,2}`;
const NUMBER = `(?<number>${COUNT})`;
const DECIMAL = `${D}{1,5}(?:[.,\\u066b]${D}{1,3})?`;
const FRACTION = "[\\u00bd\\u00bc\\u00be\\u2153\\u2154]";
const WHOLE = `${D}{1,3} ?${FRACTION}|${FRACTION}|(?:${D}{1,2} )?${D}{1,2}/${D}{1,2}`;
const AMOUNT = `(?<amount>${WHOLE}|${DECIMAL}(?: ?[-\\u2013] ?${DECIMAL})?)`;
const UNIT = `(?<unit>${LETTER}+\\.?)`;
const NAMED = `(?<name>.*${LETTER}.*)`;
const OF = "(?:of|von|de la|del|des|du|de|av) |d['\\u2019]";
const X = "[x\\u00d7]";
const TIMES = [`${NUMBER} ?${X} (?<name>.+)`, `(?<name>.+) ${X} ?${NUMBER}`, `(?<name>.+) ${NUMBER} ?${X}`];
const AMOUNTS = /** @type {const} */ ([
  [whole(`${AMOUNT} ?${UNIT} (?:${OF})${NAMED}`), UNITS_OF],
  [whole(`${AMOUNT} ?${UNIT} ${NAMED}`), UNITS],
  [whole(`${NAMED} ${AMOUNT} ?${UNIT}`), UNITS],
]);
const RANGE = whole(`(?<amount>${D}{1,3} ?[-\\u2013] ?${D}{1,3}) ${NAMED}`);
const [TIMES_FORMS, FIRST, LAST] = [TIMES.map(whole), whole(`${NUMBER} ${NAMED}`), whole(`(?<name>.+) ${NUMBER}`)];

/**
 * Each entry of a text; commas and line breaks are between them.
 * @param {string} text @param {Set<string>} known names that the family has, as `plain`
 * @returns {TypedEntry[]}
 */
export function understood(text, known) {
  const parts = text.split(BETWEEN).map((part) => spaced(part).replace(BULLETS, ""));
  return parts.filter((part) => part).map((part) => entry(part, known));
}

/** @param {string} text @param {Set<string>} known */
function entry(text, known) {
  if ([...text].length > LONGEST || known.has(plain(text))) return { name: text, quantity: null, notes: null };
  const times = TIMES_FORMS.map((form) => named(form, text)).find(Boolean);
  const { pieces = null, notes = null, name } = measured(times?.name ?? text);
  const quantity = number(times?.number) ?? pieces;
  return quantity === null ? { ...counted(name, known), notes } : { name, quantity, notes };
}

/** "500 g mince", "mince 500 g", "2-3 onions"; "3 pcs lemons" are so many. @param {string} text */
function measured(text) {
  for (const [form, units] of AMOUNTS) {
    const found = named(form, text);
    const unit = plain(found?.unit.replace(/\.+$/, "") ?? "");
    if (!found || !units.has(unit)) continue;
    if (!PIECES.has(unit)) return { notes: `${found.amount} ${found.unit}`, name: found.name };
    if (whole(COUNT).test(found.amount)) return { pieces: number(found.amount), name: found.name };
  }
  const range = named(RANGE, text);
  return range ? { notes: range.amount, name: range.name } : { name: text };
}

/** "2 milk", and "milk 2" where milk is known. @param {string} text @param {Set<string>} known */
function counted(text, known) {
  const first = named(FIRST, text);
  const last = named(LAST, text);
  const isThing = first && !NO_THINGS.has(plain(first.name.split(" ")[0]));
  const found = isThing ? first : last && known.has(plain(last.name)) ? last : null;
  return found ? { name: found.name, quantity: number(found.number) } : { name: text, quantity: null };
}

/** @param {string | undefined} digits of any script */
function number(digits) {
  return digits ? Number([...digits].map((digit) => digit.charCodeAt(0) & 0xf).join("")) : null;
}

/** @param {string} form */
function whole(form) {
  return new RegExp(`^(?:${form})$`, "iu");
}

/** @param {RegExp} form @param {string} text @returns {Record<string, string> | undefined} */
function named(form, text) {
  return form.exec(text)?.groups;
}
