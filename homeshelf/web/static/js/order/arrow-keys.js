/** Move the focus to the row above or below. @param {HTMLElement} list @param {KeyboardEvent} event */
export function moveFocus(list, event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const all = [.../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".tick-row"))];
  const rows = all.filter((row) => row.checkVisibility());
  const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (!step || at < 0) return;
  event.preventDefault();
  rows[at + step]?.focus();
}
