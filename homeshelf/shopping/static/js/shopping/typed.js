// What somebody types, as entries: names, how many, and what else they said. The same rules as in
// homeshelf/shopping/typed.py; tests/shopping/typed_cases.json and the phrases beside it hold both to them.
import { amountIn, COUNT, DIGIT, hasLetter, number } from "./amounts.js";
import { is } from "./measures.js";
import { foldName, collapseSpaces } from "../typing/names.js";

/** @typedef {{name: string, quantity: number | null, notes: string | null}} TypedEntry */
const LONGEST = 150; // what is longer is no entry
const BREAKS = "[\\r\\n\\u2028\\u2029;\\u061b\\u3001\\uff0c]";
const BETWEEN = new RegExp(`${BREAKS}|(?<!${DIGIT})[,\\u060c]|[,\\u060c](?!${DIGIT})`, "u");
const DIRECTIONS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu; // marks around pasted Arabic
const MARKS = `[\\-*•·\\u2013\\u2014‣◦▪☐☑✓✔]|\\[[ xX]?\\]|${DIGIT}{1,3}[.\\)]`;
const BULLETS = new RegExp(`^(?:(?:${MARKS}|${DIGIT}{1,3}-(?! +${DIGIT})) +)+`, "u"); // alone "2- 3 onions" are 2 or 3
const BULLETS_OF_MANY = new RegExp(`^(?:(?:${MARKS}|${DIGIT}{1,3}-) +)+`, "u");
const X = "[x\\u00d7]";
const NUMBER = `(?<number>${COUNT})`;
const TIMES = [`${NUMBER} ?${X} (?<name>.+)`, `(?<name>.+) ${X} ?${NUMBER}`, `(?<name>.+) ${NUMBER} ?${X}`].map(whole);
const COUNTED = new RegExp(`^\\s*(?:${COUNT}\\s*${X}?\\s+)?`, "iu");
const [FIRST, LAST] = [whole(`${NUMBER} (?<name>.+)`), whole(`(?<name>.+) ${NUMBER}`)];

/**
 * Each entry of a text; commas and line breaks are between them.
 * @param {string} text @param {Set<string>} known names that the family has, as `plain`
 * @returns {TypedEntry[]}
 */
export function understood(text, known) {
  return parted(text).map((part) => entry(part, known));
}

/** The text of each, without what stands before it in a list. @param {string} text */
export function parted(text) {
  const parts = text.replace(DIRECTIONS, "").split(BETWEEN).map(collapseSpaces).filter((part) => part);
  const bullets = parts.length > 1 ? BULLETS_OF_MANY : BULLETS;
  return parts.map((part) => part.replace(bullets, ""));
}

/**
 * What may be the beginning of a name at the end of a text: without how many, and without how much of it.
 * @param {string} text
 */
export function beginnings(text) {
  const last = text.split(BETWEEN).at(-1) ?? "";
  const names = understood(last, new Set()).map(({ name }) => name);
  return [last.replace(COUNTED, ""), ...names.filter((name) => last.endsWith(name))];
}

/** @param {string} text @param {Set<string>} known @returns {TypedEntry} */
function entry(text, known) {
  if ([...text].length > LONGEST || known.has(foldName(text))) return { name: text, quantity: null, notes: null };
  const times = TIMES.map((form) => counts(form, text)).filter((found) => found !== null);
  const ways = [...times, counts(FIRST, text), counts(LAST, text)];
  const ofKnown = ways.find((found) => found && known.has(foldName(found.name)));
  return ofKnown ? { ...ofKnown, notes: null } : apart(text, times[0], known);
}

/** @param {string} text @param {{name: string, quantity: number} | undefined} times @param {Set<string>} known */
function apart(text, times, known) {
  const rest = times?.name ?? text;
  const amount = amountIn(rest);
  if (amount?.pieces && !times) return { name: amount.of, quantity: amount.pieces, notes: null };
  const notes = amount?.text ?? null;
  const name = amount?.of ?? rest;
  return times ? { ...times, name, notes } : { ...counted(name, known), notes };
}

/** "2 milk", and "milk 2" where milk is known. @param {string} text @param {Set<string>} known */
function counted(text, known) {
  const first = counts(FIRST, text);
  const last = counts(LAST, text);
  if (first && hasLetter(first.name) && !is("NO_THINGS", first.name.split(" ")[0])) return first;
  return last && known.has(foldName(last.name)) ? last : { name: text, quantity: null };
}

/** @param {RegExp} form @param {string} text */
function counts(form, text) {
  const { name, number: digits } = form.exec(text)?.groups ?? {};
  return digits ? { name, quantity: number(digits) } : null;
}

/** @param {string} form */
function whole(form) {
  return new RegExp(`^(?:${form})$`, "iu");
}
