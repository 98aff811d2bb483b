// What somebody writes down in a cupboard: in each line a thing, how many, and where it is kept. The same rules as in
// homeshelf/stocktaking/lines.py; tests/stocktaking/lines.json holds both to them.
import { DIGIT, hasLetter, parseNumber } from "../shopping/amounts.js";
import { isWord } from "../shopping/unit-words.js";
import { foldName } from "../typing/names.js";
import { splitEntries, parseEntries } from "../shopping/entry-parser.js";

/**
 * @typedef {{name: string, count: number, unit: string | null, place: string | null}} Line
 * @typedef {{things: Set<string>, places: Set<string>}} Names what the family has, as `plain`
 */
const BREAKS = /[\r\n\u2028\u2029]+/u;
const HEADING = /^(?<place>.+?) ?[:\uff1a]$/u;
const COUNT = `[1-9\\u0661-\\u0669]${DIGIT}{0,4}`;
const WORD = "[^ 0-9\\u0660-\\u0669]+";
const AMOUNT = new RegExp(`^(?:(?<number>${COUNT})(?:[ \\-]?(?<unit>${WORD}))?|(?<alone>${WORD}))$`, "u");
const NUMBER_LAST = new RegExp(`^(?<name>.+) (?<number>[1-9\\u0661-\\u0669]${DIGIT}?)$`, "u"); // "Type 405" is flour
const NUMBERED = new RegExp(DIGIT, "u");

/**
 * Each thing once: what is written twice is counted together.
 * @param {string} text @param {Names} names @param {string | null} [place] where one is @returns {Line[]}
 */
export function linesIn(text, names, place = null) {
  /** @type {Map<string, Line>} */
  const found = new Map();
  for (const line of each(text, names, place)) {
    const key = JSON.stringify([foldName(line.name), line.unit]);
    const first = found.get(key);
    found.set(key, first ? { ...first, count: first.count + line.count } : line);
  }
  return [...found.values()];
}

/** @param {string} text @param {Names} names @param {string | null} heading */
function each(text, names, heading) {
  /** @type {Line[]} */
  const found = [];
  for (const written of text.replaceAll("\t", ", ").split(BREAKS)) {
    const parts = splitEntries(written);
    const headed = parts.length === 1 && HEADING.exec(parts[0])?.groups;
    if (headed) heading = headed.place;
    else found.push(...things(parts, heading, names));
  }
  return found;
}

/**
 * One with its place behind it, or several that are kept in the same.
 * @param {string[]} parts @param {string | null} heading @param {Names} names
 */
function things(parts, heading, names) {
  /** @type {Line[]} */
  const found = [];
  for (const part of parts) {
    const { count, unit } = amount(part);
    const last = found.at(-1);
    if (!last || !(count || unit)) found.push(thing(part, names.things));
    else found[found.length - 1] = { ...last, count: count ?? last.count, unit: unit ?? last.unit };
  }
  const last = parts.at(-1) ?? "";
  const isPlaced = found.length > 1 && isPlace(last, found.length, names);
  if (isPlaced) found.pop();
  return found.map((line) => ({ ...line, place: isPlaced ? last : heading }));
}

/**
 * Behind one thing any word is where it is kept; behind several, one that is there.
 * @param {string} part @param {number} many @param {Names} names
 */
function isPlace(part, many, names) {
  const name = foldName(part);
  return names.places.has(name) || (many === 2 && !names.things.has(name) && !NUMBERED.test(part));
}

/** @param {string} text @param {Set<string>} known @returns {Line} */
function thing(text, known) {
  const [{ name, quantity, notes }] = parseEntries(text, known);
  const line = { name, count: quantity ?? 1, unit: notes, place: null };
  if (quantity) return line;
  if (notes) {
    const { count, unit } = amount(notes);
    return count ? { ...line, count, unit } : line;
  }
  const last = NUMBER_LAST.exec(name)?.groups;
  if (!last || !hasLetter(last.name) || known.has(foldName(name))) return line;
  return { ...line, name: last.name, count: parseNumber(last.number) };
}

/** A number, a unit or both of them, and nothing else. Pieces need no unit. @param {string} text */
function amount(text) {
  const found = AMOUNT.exec(text)?.groups;
  const unit = found?.unit ?? found?.alone;
  if (!found || (unit && !isWord("UNITS_OF", unit))) return { count: null, unit: null };
  return { count: found.number ? parseNumber(found.number) : null, unit: unit && !isWord("PIECES", unit) ? unit : null };
}
