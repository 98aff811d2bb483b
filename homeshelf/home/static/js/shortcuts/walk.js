const ROWS = ":is(.tick-row, .stock-item)";

/**
 * To the row below or above, in the same column; with `isNext` to the next in any.
 * @param {number} step @param {boolean} [isNext]
 */
export function walk(step, isNext = false) {
  const all = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(ROWS))];
  const rows = all.filter((row) => row.checkVisibility());
  const { activeElement } = document;
  const at = rows.findIndex((row) => row.closest("li")?.contains(activeElement));
  if (at < 0) return isNext || !isNowhere(activeElement) ? false : begin(rows);
  const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, at).reverse();
  const column = leftOf(rows[at]);
  const next = isNext ? ahead[0] : (ahead.find((row) => Math.abs(leftOf(row) - column) < 8) ?? ahead[0]);
  next?.focus();
}

/** @param {HTMLElement[]} rows */
function begin(rows) {
  const first = rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
  first?.focus();
  return Boolean(first);
}

/** @param {Element | null} element */
function isNowhere(element) {
  return !element || element.matches("body, main");
}

/** @param {HTMLElement} row */
function leftOf(row) {
  return row.closest("li")?.getBoundingClientRect().left ?? 0;
}
