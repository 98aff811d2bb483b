// Parse typed text into names, quantities and notes. homeshelf/shopping/entry_parser.py has the same rules:
// tests/shopping/typed_cases.json and the phrases beside it test both.
import { parseAmount, COUNT, DIGIT, hasLetter, isAmount, parseNumber } from "./amounts.js";
import { isWord } from "./unit-words.js";
import { foldName, collapseSpaces } from "../typing/names.js";

/**
 * @typedef {{name: string, quantity: number | null, notes: string | null}} TypedEntry
 * @typedef {{has(name: string): boolean}} Names
 */
const LONGEST = 150; // longer text is not parsed
const BREAKS = "[\\r\\n\\u2028\\u2029;\\u061b\\u3001\\uff0c]";
const BETWEEN = new RegExp(`${BREAKS}|(?<!${DIGIT})[,\\u060c]|[,\\u060c](?!${DIGIT})`, "u");
const SEPARATOR = new RegExp(`(${BETWEEN.source})`, "u");
const AFTER_COMMA = /^(?<name>.+), (?<amount>.+)$/u;
const DIRECTIONS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu; // marks around pasted Arabic
const MARKS = `[\\-*•·\\u2013\\u2014‣◦▪☐☑✓✔]|\\[[ xX]?\\]|${DIGIT}{1,3}[.\\)]`;
const BULLETS = new RegExp(`^(?:(?:${MARKS}|${DIGIT}{1,3}-(?! +${DIGIT})) +)+`, "u"); // alone "2- 3 onions" are 2 or 3
const BULLETS_OF_MANY = new RegExp(`^(?:(?:${MARKS}|${DIGIT}{1,3}-) +)+`, "u");
const X = "[x\\u00d7]";
const NUMBER = `(?<number>${COUNT})`;
const TIMES = [
  `${NUMBER} ?${X} (?<name>.+)`, `(?<name>.+) ${X} ?${NUMBER}`, `(?<name>.+) ${NUMBER} ?${X}`,
].map(matchWhole);
const COUNTED = new RegExp(`^\\s*(?:${COUNT}\\s*${X}?\\s+)?`, "iu");
const COUNTS = matchWhole(COUNT);
const [FIRST, LAST] = [matchWhole(`${NUMBER} (?<name>.+)`), matchWhole(`(?<name>.+) ${NUMBER}`)];

/**
 * Parse each entry of a text that is separated by commas and line breaks.
 * @param {string} text @param {Names} known names that the family has, as `foldName` returns them
 * @returns {TypedEntry[]}
 */
export function parseEntries(text, known) {
  return splitEntries(text).map((part) => parseEntry(part, known));
}

/** Split a text and remove its bullets; an amount after a comma stays with its name. @param {string} text */
export function splitEntries(text) {
  const pieces = ["\n", ...text.replace(DIRECTIONS, "").split(SEPARATOR)];
  /** @type {string[]} */
  const parts = [];
  let mayJoin = false;
  for (let i = 0; i < pieces.length; i += 2) {
    const part = collapseSpaces(pieces[i + 1]);
    /** @type {boolean} */
    const isAdded = mayJoin && /[,\u060c]/u.test(pieces[i]) && isAmount(part);
    if (isAdded) parts.push(`${parts.pop()}, ${part}`);
    else if (part) parts.push(part);
    if (part) mayJoin = !isAdded && hasLetter(part);
  }
  const bullets = parts.length > 1 ? BULLETS_OF_MANY : BULLETS;
  return parts.map((part) => part.replace(bullets, ""));
}

/**
 * Possible starts of a name at the end of a text, without quantity and amount.
 * @param {string} text
 */
export function findNameStarts(text) {
  const last = text.split(BETWEEN).at(-1) ?? "";
  const names = parseEntries(last, new Set()).map(({ name }) => name);
  return [last.replace(COUNTED, ""), ...names.filter((name) => last.endsWith(name))];
}

/** @param {string} text @param {Names} known @returns {TypedEntry} */
function parseEntry(text, known) {
  if ([...text].length > LONGEST || known.has(foldName(text))) return { name: text, quantity: null, notes: null };
  const after = AFTER_COMMA.exec(text)?.groups;
  const whole = { name: text, quantity: null, notes: null };
  if (after) return addAmount(parseEntry(after.name, known), after.amount) ?? whole;
  const times = TIMES.map((form) => matchCount(form, text)).filter((found) => found !== null);
  const ways = [...times, matchCount(FIRST, text), matchCount(LAST, text)];
  const ofKnown = ways.find((found) => found && known.has(foldName(found.name)));
  return ofKnown ? { ...ofKnown, notes: null } : parseUnknown(text, times[0], known);
}

/** @param {TypedEntry} entry @param {string} amount @returns {TypedEntry | null} if it has none of that kind yet */
function addAmount(entry, amount) {
  const measured = parseAmount(`${entry.name} ${amount}`);
  const quantity = COUNTS.test(amount) ? parseNumber(amount) : measured?.pieces;
  if (quantity) return entry.quantity ? null : { ...entry, quantity };
  return measured && !entry.notes ? { ...entry, notes: measured.text } : null;
}

/** @param {string} text @param {{name: string, quantity: number} | undefined} times @param {Names} known */
function parseUnknown(text, times, known) {
  const rest = times?.name ?? text;
  const amount = parseAmount(rest);
  if (amount?.pieces && !times) return { name: amount.of, quantity: amount.pieces, notes: null };
  const notes = amount?.text ?? null;
  const name = amount?.of ?? rest;
  return times ? { ...times, name, notes } : { ...splitCount(name, known), notes };
}

/** "2 milk", and "milk 2" where milk is known. @param {string} text @param {Names} known */
function splitCount(text, known) {
  const first = matchCount(FIRST, text);
  const last = matchCount(LAST, text);
  if (first && hasLetter(first.name) && !isWord("NO_THINGS", first.name.split(" ")[0])) return first;
  return last && known.has(foldName(last.name)) ? last : { name: text, quantity: null };
}

/** @param {RegExp} form @param {string} text */
function matchCount(form, text) {
  const { name, number: digits } = form.exec(text)?.groups ?? {};
  return digits ? { name, quantity: parseNumber(digits) } : null;
}

/** @param {string} form */
function matchWhole(form) {
  return new RegExp(`^(?:${form})$`, "iu");
}
