// Whether somebody has a finger, a pointer or the keys on the page: then nothing may move under them.
const IDLE_AFTER = 1500; // after the last touch
const LONGEST = 10_000; // a press whose end nobody told us of

let lastActivity = -IDLE_AFTER;
let pressed = false;

/** @param {Event} event */
function recordActivity({ type }) {
  lastActivity = performance.now();
  if (type === "pointerdown") pressed = true;
  if (type === "pointerup" || type === "pointercancel") pressed = false;
}

export function isIdle() {
  return performance.now() - lastActivity >= (pressed ? LONGEST : IDLE_AFTER);
}

/** What is looked at stays where it is, whatever comes or goes above it. @param {() => void} change */
export function keepScrollPosition(change) {
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
  document.addEventListener(type, recordActivity, { capture: true, passive: true });
