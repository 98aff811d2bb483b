// Parser for stocktaking text: each line has an item, a count and a place. homeshelf/stocktaking/lines.py has the
// same rules; tests/stocktaking/lines.json tests both.
import { countIn, DIGIT, hasLetter, parseNumber } from "../shopping/amounts.js";
import { isWord } from "../shopping/unit-words.js";
import { foldName } from "../typing/names.js";
import { splitEntries, parseEntries } from "../shopping/entry-parser.js";

/**
 * @typedef {{name: string, count: number, unit: string | null, notes: string | null, place: string | null,
 *   written: number}} Line `notes` is what is in each, `written` the number of lines that were added up
 * @typedef {{name: string, count: number | null, unit: string | null, notes: string | null}} Part
 * @typedef {{things: Map<string, string>, places: Set<string>, unit: string}} Names of the family, as `foldName`
 *   returns them, with the units of items, and the chosen unit of new ones
 */
const BREAKS = /[\r\n\u2028\u2029]+/u;
const HEADING = /^(?<place>.+?) ?[:\uff1a]$/u;
const COUNT = `[1-9\\u0661-\\u0669]${DIGIT}{0,4}`;
const WORD = "[^ 0-9\\u0660-\\u0669]+";
const AMOUNT = new RegExp(`^(?:(?<number>${COUNT})(?:[ \\-]?(?<unit>${WORD}))?|(?<alone>${WORD}))$`, "u");
const NUMBER_LAST = new RegExp(`^(?<name>.+) (?<number>[1-9\\u0661-\\u0669]${DIGIT}?)$`, "u"); // "Type 405" is flour
const NUMBERED = new RegExp(DIGIT, "u");
const TOO_MANY = 1_000_000;

/**
 * Return each item once, with repeated lines added up.
 * @param {string} text @param {Names} names @param {string | null} [place] the first heading @returns {Line[]}
 */
export function linesIn(text, names, place = null) {
  /** @type {Map<string, Line>} */
  const found = new Map();
  for (const line of parseLines(text, names, place)) {
    const key = JSON.stringify([foldName(line.name), line.unit, line.notes, foldName(line.place ?? "")]);
    const first = found.get(key);
    const sum = (/** @type {Line} */ { count, written }) => ({ count: count + line.count, written: written + 1 });
    found.set(key, first ? { ...first, ...sum(first) } : line);
  }
  return [...found.values()];
}

/** @param {string} text @param {Names} names @param {string | null} heading */
function parseLines(text, names, heading) {
  /** @type {Line[]} */
  const found = [];
  for (const written of text.replaceAll("\t", ", ").split(BREAKS)) {
    const parts = splitEntries(written);
    const headed = parts.length === 1 && HEADING.exec(parts[0])?.groups;
    if (headed) heading = headed.place;
    else found.push(...parseParts(parts, heading, names));
  }
  return found;
}

/**
 * Parse one item with its place, or several items that share a place.
 * @param {string[]} parts @param {string | null} heading @param {Names} names
 */
function parseParts(parts, heading, names) {
  /** @type {Part[]} */
  const found = [];
  let isItem = false;
  for (const part of parts) {
    const last = found.at(-1);
    const more = last ? addAmount(last, part) : null;
    isItem = !more;
    if (more) found[found.length - 1] = more;
    else found.push(parseItem(part, names));
  }
  const last = parts.at(-1) ?? "";
  const isPlaced = found.length > 1 && isItem && isPlace(last, found.length, names);
  if (isPlaced) found.pop();
  return found.map((part) => buildLine(part, isPlaced ? last : heading, names));
}

/**
 * Check whether a part is a place: any word after one item, a known place after several.
 * @param {string} part @param {number} many @param {Names} names
 */
function isPlace(part, many, names) {
  const name = foldName(part);
  return names.places.has(name) || (many === 2 && !names.things.has(name) && !NUMBERED.test(part));
}

/** @param {string} text @param {Names} names @returns {Part} */
function parseItem(text, { things }) {
  const [{ name, quantity, notes }] = parseEntries(text, things);
  const part = { name, count: quantity, unit: null, notes: null };
  return notes ? (addAmount(part, notes) ?? { ...part, notes }) : part;
}

/**
 * Add a count, a unit or both. "500 g" and what is there already become notes.
 * @param {Part} part @param {string} amount @returns {Part | null}
 */
function addAmount(part, amount) {
  const found = AMOUNT.exec(amount)?.groups;
  const word = found?.unit ?? found?.alone;
  if (!found || (word && !isWord("UNITS_OF", word))) return null;
  const count = found.number ? parseNumber(found.number) : null;
  const unit = word && !isWord("PIECES", word) ? word : null;
  if (!count && !unit) return null;
  const isMeasure = count && unit && isWord("MEASURES", unit);
  if (isMeasure || (count && part.count) || (unit && part.unit)) {
    return { ...part, notes: part.notes ? [part.notes, amount].join(", ") : amount };
  }
  return { ...part, count: count ?? part.count, unit: unit ?? part.unit };
}

/** @param {Part} part @param {string | null} place @param {Names} names @returns {Line} */
function buildLine(part, place, names) {
  const { name, count, unit, notes } = { ...part, ...(part.count || part.notes ? {} : findCount(part, names)) };
  const countedIn = names.things.get(foldName(name)) ?? names.unit;
  const sum = (count || 1) * (countIn(countedIn, notes) ?? 0);
  if (sum > 0 && sum < TOO_MANY) return { name, count: sum, unit: countedIn, notes: null, place, written: 1 };
  return { name, count: count || 1, unit, notes, place, written: 1 };
}

/** The count of "Milk 2", but none in "Nappies size 4" or a known name. @param {Part} part @param {Names} names */
function findCount({ name }, { things }) {
  const last = NUMBER_LAST.exec(name)?.groups;
  const before = last?.name.split(" ").at(-1) ?? "";
  const isName = !last || !hasLetter(last.name) || things.has(foldName(name)) || before.endsWith(",");
  return isName || isWord("BEFORE_NUMBERS", before) ? {} : { name: last.name, count: parseNumber(last.number) };
}
