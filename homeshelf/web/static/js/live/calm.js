// Whether somebody has a finger, a pointer or the keys on the page: then nothing may move under them.
const CALM = 1500; // after the last touch
const LONGEST = 10_000; // a press whose end nobody told us of

let touched = -CALM;
let pressed = false;

/** @param {Event} event */
function note({ type }) {
  touched = performance.now();
  if (type === "pointerdown") pressed = true;
  if (type === "pointerup" || type === "pointercancel") pressed = false;
}

export function isCalm() {
  return performance.now() - touched >= (pressed ? LONGEST : CALM);
}

/** What is looked at stays where it is, whatever comes or goes above it. @param {() => void} change */
export function holdingStill(change) {
  const byBrowser = getComputedStyle(document.documentElement).overflowAnchor === "auto";
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("li, p, h2, article, form");
  const before = middle?.getBoundingClientRect().top ?? 0;
  const { activeElement } = document;
  change();
  const lost = activeElement !== document.activeElement;
  if (lost && activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
  if (!byBrowser && scrollY && middle?.isConnected) scrollBy(0, middle.getBoundingClientRect().top - before);
}

for (const type of ["pointerdown", "pointerup", "pointercancel", "touchmove", "wheel", "keydown", "input"])
  document.addEventListener(type, note, { capture: true, passive: true });
