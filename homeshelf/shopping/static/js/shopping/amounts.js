// How much of something: figures or words for a number, and a unit, before or behind a name. The same rules as in
// homeshelf/shopping/amounts.py.
import { foldWord, isWord } from "./unit-words.js";

/** @typedef {{of: string, text: string, pieces?: number | null}} Amount */
const LONGEST_NUMBER = 4; // in words
export const DIGIT = "[0-9\\u0660-\\u0669]";
export const COUNT = `[1-9\\u0661-\\u0669]${DIGIT}{0,2}`;
const COUNT_ONLY = new RegExp(`^${COUNT}$`, "u");
const COUNTED = new RegExp(`^(?<number>[1-9\\u0661-\\u0669]${DIGIT}{0,4})[ \\-]?(?<unit>[^ \\p{Nd}]+)$`, "u");
const BRACKETS = / \(([^()]+)\)$/u;
const LETTER = /[\p{L}\p{Nl}\p{No}]/u;
const DECIMAL = `${DIGIT}{1,5}(?:[.,\\u066b\\u066c\\u060c]${DIGIT}{1,3})?`;
const FRACTION = "[\\u00bd\\u00bc\\u00be\\u2153\\u2154]";
const AMOUNT = [
  `${DIGIT}{1,3} ?${FRACTION}|${FRACTION}|(?:${DIGIT}{1,2} )?${DIGIT}{1,2}/${DIGIT}{1,2}`,
  `${DIGIT}{1,3}(?: ${DIGIT}{3}){1,2}|${DIGIT}{1,3}er|${DECIMAL}(?: ?[-\\u2013] ?${DECIMAL})?`,
].join("|");
const MEASURED = `(?<amount>${AMOUNT})(?<between>[ \\-]?)(?<unit>[^ 0-9\\u0660-\\u0669]+)`;
const FIGURES = new RegExp(`^${MEASURED} `, "u");
const LAST = new RegExp(` ${MEASURED}$`, "u");
const RANGE = new RegExp(`^(?<amount>${DIGIT}{1,3} ?[-\\u2013] ?${DIGIT}{1,3}) `, "u");
const BEFORE = "^(?:de l['\\u2019]|d['\\u2019]|(?:of|von|vom|de la|de los|de las|del|des|du|de|av|من) )(?=.)";
const [OF_QUIET, OF_SHOUTED] = [new RegExp(BEFORE, "u"), new RegExp(BEFORE, "iu")]; // "De Cecco" is a name

/** "500 g mince", "mince 500 g", "une botte de radis", "2-3 onions"; "3 pcs lemons". @param {string} text */
export function parseAmount(text) {
  return parseDigits(text) ?? parseWords(text) ?? parseSuffix(text) ?? parseRange(text);
}

/** Check for a count or a measure and nothing else, such as "44" or "500 g". @param {string} text */
export function isAmount(text) {
  const found = LAST.exec(` ${text}`);
  const unit = found?.index === 0 && readMeasure(found)?.unit;
  return COUNT_ONLY.test(text) || Boolean(unit && (isWord("MEASURES", unit) || isWord("PIECES", unit)));
}

/** The count of a note such as "2 l", if it is in this unit. @param {string} unit @param {string | null} notes */
export function countIn(unit, notes) {
  const found = COUNTED.exec(notes ?? "")?.groups;
  return found && unit && foldWord(found.unit) === foldWord(unit) ? parseNumber(found.number) : null;
}

/** @param {string} text */
export function hasLetter(text) {
  return LETTER.test(text);
}

/** @param {string} digits of any script */
export function parseNumber(digits) {
  return Number([...digits].map((digit) => digit.charCodeAt(0) & 0xf).join(""));
}

/** @param {string} text @returns {Amount | null} */
function parseDigits(text) {
  const found = FIGURES.exec(text);
  const measured = found && readMeasure(found);
  return measured && splitName(measured, text.slice(found[0].length), "UNITS");
}

/**
 * "ein Bund Dill"; without any number "bunch of dill", "Bund Dill" and "علبة تونة".
 * @param {string} text @returns {Amount | null}
 */
function parseWords(text) {
  const words = text.split(" ");
  for (let length = Math.min(LONGEST_NUMBER, words.length - 2); length >= 0; length--) {
    const unit = words[length];
    if (isWord("SHORT_MEASURES", unit) || (length && !isWord("NUMBERS", words.slice(0, length).join(" ")))) continue;
    const said = words.slice(0, length + 1).join(" ");
    const rest = words.slice(length + 1).join(" ");
    const found = splitName({ text: said, unit }, rest, length ? "UNITS" : "FIRST_WORDS");
    if (found && (length || mayLackNumber(unit, found.of))) return found;
  }
  return null;
}

/**
 * Behind a unit without a number figures may be anything, and a piece is a thing.
 * @param {string} unit @param {string} name
 */
function mayLackNumber(unit, name) {
  return !isWord("PIECES", unit) && !new RegExp(DIGIT, "u").test(name.split(" ")[0]);
}

/**
 * @param {{text: string, unit: string, pieces?: number | null}} said @param {string} after
 * @param {string} taken the kind of words that count without "of" @returns {Amount | null}
 */
function splitName({ text, unit, pieces }, after, taken) {
  const [half, rest] = splitHalf(after);
  const of = (rest === rest.toUpperCase() ? OF_SHOUTED : OF_QUIET).exec(rest);
  const name = of ? rest.slice(of[0].length) : rest;
  const isUnit = isWord(of ? "UNITS_OF" : taken, unit);
  if (!isUnit || !hasLetter(name) || isWord("NO_CONTENTS", name.split(" ")[0])) return null;
  return { of: name, text: half ? `${text} ${half}` : text, pieces };
}

/** The half behind a unit, and what is left. @param {string} rest */
function splitHalf(rest) {
  const words = rest.split(" ");
  for (let length = Math.min(3, words.length - 1); length > 0; length--) {
    const said = words.slice(0, length).join(" ");
    if (isWord("HALVES", said)) return [said, words.slice(length).join(" ")];
  }
  return ["", rest];
}

/** "mince 500 g", "mince (500 g)", "honey 1/2 jar". @param {string} text @returns {Amount | null} */
function parseSuffix(text) {
  const found = LAST.exec(text.replace(BRACKETS, " $1"));
  const name = text.slice(0, found?.index);
  const before = name.split(" ").at(-1) ?? "";
  const isWhole = hasLetter(name) && !isWord("OF", before) && !isWord("NO_CONTENTS", before);
  const measured = found && isWhole && readMeasure(found);
  return measured && isWord("UNITS_OF", measured.unit) ? { of: name, ...measured } : null;
}

/** Pieces are whole. @param {RegExpExecArray} found */
function readMeasure({ groups }) {
  const { amount, between, unit } = /** @type {Record<string, string>} */ (groups);
  const isPieces = isWord("PIECES", unit);
  const isCount = COUNT_ONLY.test(amount);
  if (isPieces && !isCount) return null;
  return { text: amount + (between || " ") + unit, unit, pieces: isPieces ? parseNumber(amount) : null };
}

/** @param {string} text @returns {Amount | null} */
function parseRange(text) {
  const found = RANGE.exec(text);
  const of = text.slice(found?.[0].length);
  return found?.groups && hasLetter(of) ? { of, text: found.groups.amount } : null;
}
