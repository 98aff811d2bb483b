// Below how many somebody is told who did not say: as the server would choose it.

/** @typedef {Record<string, number>} Starts by the unit, as the page has them */

const PIECES = 2;

/** @param {string} unit */
const word = (unit) => unit.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\.+$/, "");

/** @param {Starts} starts @param {string} unit @param {number} count no more than there are */
export function startOf(starts, unit, count) {
  const start = starts[word(unit)] ?? PIECES;
  return count > 0 ? Math.min(start, count) : start;
}
