// Track whether the user is touching the page, because then nothing may move.
const IDLE_AFTER = 1500; // milliseconds after the last touch
const LONGEST = 10_000; // in case the end of a press was missed

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

/** Run `change` and keep the visible part in place if content above it grows or shrinks. @param {() => void} change */
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
