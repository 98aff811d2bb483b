// Join a count and its unit. homeshelf/languages/formats.py has the same rule.
// Isolates keep "2 l" from being read as "l 2" in Arabic.
const [OPEN, CLOSE] = document.documentElement.dir === "rtl" ? ["\u2068", "\u2069"] : ["", ""];

/** @param {number | string} count @param {string | null | undefined} unit */
export function formatAmount(count, unit) {
  if (!unit) return String(count);
  return `${OPEN}${count}${/^\p{Nd}/u.test(unit) ? " × " : "\u00a0"}${unit}${CLOSE}`;
}
