// Animate moved rows, and keep the keyboard focus on a row.
const DURATION = 160;

/** @param {HTMLElement} list @param {() => void} change of where rows stand */
export function animateRows(list, change) {
  const rows = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("li.entry")]);
  const inUse = rows.findIndex((row) => row.contains(document.activeElement));
  const tops = new Map(rows.map((row) => [row, row.getBoundingClientRect().top]));
  change();
  if (inUse >= 0 && !isReachable(document.activeElement)) focusNear(rows, inUse);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [row, before] of tops) {
    const by = before - row.getBoundingClientRect().top;
    if (by && row.checkVisibility() && Math.abs(by) < innerHeight) slide(row, by);
  }
}

/** @param {HTMLElement} row @param {number} by */
function slide(row, by) {
  const frames = [{ transform: `translateY(${by}px)` }, { transform: "none" }];
  row.animate(frames, { duration: DURATION, easing: "ease-out" });
}

/** @param {Element | null} place */
function isReachable(place) {
  return place !== null && place !== document.body && place.checkVisibility();
}

/** @param {HTMLElement[]} rows as they stood @param {number} at */
function focusNear(rows, at) {
  const near = [...rows.slice(at), ...rows.slice(0, at).reverse()].find((row) => row.checkVisibility());
  /** @type {HTMLElement | null | undefined} */ (near?.querySelector(".tick-row"))?.focus({ preventScroll: true });
}
