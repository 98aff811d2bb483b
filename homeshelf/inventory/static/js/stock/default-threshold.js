// The default threshold of a unit, as homeshelf/inventory/default_threshold.py computes it.

/** @typedef {Record<string, number>} Thresholds by unit, from the page */

const PIECES = 2;

/** @param {string} unit */
const word = (unit) => unit.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\.+$/, "");

/** @param {Thresholds} thresholds @param {string} unit @param {number} count the threshold's upper limit */
export function defaultThreshold(thresholds, unit, count) {
  const threshold = thresholds[word(unit)] ?? PIECES;
  return count > 0 ? Math.min(threshold, count) : threshold;
}
