// Parser for stocktaking text: each line has an item, a count and a place. homeshelf/stocktaking/lines.py has the
// same rules; tests/stocktaking/lines.json tests both.
import { DIGIT, hasLetter, parseNumber } from "../shopping/amounts.js";
import { isWord } from "../shopping/unit-words.js";
import { foldName } from "../typing/names.js";
import { splitEntries, parseEntries } from "../shopping/entry-parser.js";

/**
 * @typedef {{name: string, count: number, unit: string | null, place: string | null}} Line
 * @typedef {{things: Set<string>, places: Set<string>}} Names of the family, as `plain` returns them
 */
const BREAKS = /[\r\n\u2028\u2029]+/u;
const HEADING = /^(?<place>.+?) ?[:\uff1a]$/u;
const COUNT = `[1-9\\u0661-\\u0669]${DIGIT}{0,4}`;
const WORD = "[^ 0-9\\u0660-\\u0669]+";
const AMOUNT = new RegExp(`^(?:(?<number>${COUNT})(?:[ \\-]?(?<unit>${WORD}))?|(?<alone>${WORD}))$`, "u");
const NUMBER_LAST = new RegExp(`^(?<name>.+) (?<number>[1-9\\u0661-\\u0669]${DIGIT}?)$`, "u"); // "Type 405" is flour
const NUMBERED = new RegExp(DIGIT, "u");

/**
 * Return each item once, with repeated lines added up.
 * @param {string} text @param {Names} names @param {string | null} [place] the first heading @returns {Line[]}
 */
export function linesIn(text, names, place = null) {
  /** @type {Map<string, Line>} */
  const found = new Map();
  for (const line of parseLines(text, names, place)) {
    const key = JSON.stringify([foldName(line.name), line.unit]);
    const first = found.get(key);
    found.set(key, first ? { ...first, count: first.count + line.count } : line);
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
  /** @type {Line[]} */
  const found = [];
  for (const part of parts) {
    const { count, unit } = parseAmount(part);
    const last = found.at(-1);
    if (!last || !(count || unit)) found.push(parseItem(part, names.things));
    else found[found.length - 1] = { ...last, count: count ?? last.count, unit: unit ?? last.unit };
  }
  const last = parts.at(-1) ?? "";
  const isPlaced = found.length > 1 && isPlace(last, found.length, names);
  if (isPlaced) found.pop();
  return found.map((line) => ({ ...line, place: isPlaced ? last : heading }));
}

/**
 * Check whether a part is a place: any word after one item, a known place after several.
 * @param {string} part @param {number} many @param {Names} names
 */
function isPlace(part, many, names) {
  const name = foldName(part);
  return names.places.has(name) || (many === 2 && !names.things.has(name) && !NUMBERED.test(part));
}

/** @param {string} text @param {Set<string>} known @returns {Line} */
function parseItem(text, known) {
  const [{ name, quantity, notes }] = parseEntries(text, known);
  const line = { name, count: quantity ?? 1, unit: notes, place: null };
  if (quantity) return line;
  if (notes) {
    const { count, unit } = parseAmount(notes);
    return count ? { ...line, count, unit } : line;
  }
  const last = NUMBER_LAST.exec(name)?.groups;
  if (!last || !hasLetter(last.name) || known.has(foldName(name))) return line;
  return { ...line, name: last.name, count: parseNumber(last.number) };
}

/** Parse a count, a unit or both, and nothing else. Pieces need no unit. @param {string} text */
function parseAmount(text) {
  const found = AMOUNT.exec(text)?.groups;
  const unit = found?.unit ?? found?.alone;
  if (!found || (unit && !isWord("UNITS_OF", unit))) return { count: null, unit: null };
  const count = found.number ? parseNumber(found.number) : null;
  return { count, unit: unit && !isWord("PIECES", unit) ? unit : null };
}
