// The readings of what is typed while taking stock.
import { isVisible } from "../typing/names.js";
import { linesIn } from "./lines.js";

/**
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("../shopping/typing/understood.js").Reading & {lines: Line[]}} LineReading
 */
const UNIT_LAST = /\p{Nd} ?(?<unit>\p{L}+)$/u;

/**
 * "Milk 2 l" is a pack with 2 l; the second reading counts 2 l.
 * @param {string} text @param {import("./lines.js").Names} names
 * @param {(line: Line) => import("../shopping/typing/understood.js").Shown} show @returns {LineReading[]}
 */
export function readingsOf(text, names, show) {
  const lines = linesIn(text, names).filter(({ name }) => isVisible(name));
  const unit = UNIT_LAST.exec(lines[0]?.notes ?? "")?.groups?.unit ?? names.unit;
  const typed = { name: text, count: 1, unit: null, notes: null, place: null, written: 1 };
  const readings = [{ lines }, { lines: linesIn(text, { ...names, unit }) }, { lines: [typed], isTyped: true }];
  return readings.map((reading) => ({ ...reading, shown: reading.lines.map(show) }));
}
