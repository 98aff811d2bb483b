// The visit of a tag page: when it counts, and its state across reloads.
import { newTap } from "./taps.js";

const IDEMPOTENCY_PERIOD = 23 * 3600 * 1000;

/** Wait until the page is visible: a prerendered page is no visit. */
export async function whenVisible() {
  const prerendered = /** @type {any} */ (document);
  if (prerendered.prerendering) await once("prerenderingchange");
  while (!isVisible()) await once("visibilitychange");
}

export function isVisible() {
  return document.visibilityState === "visible";
}

/**
 * Start a visit, or return null for a reload or a back navigation. An unanswered visit is repeated.
 * @returns {{tap: import("./taps.js").Tap, isLate: boolean} | null}
 */
export function startVisit() {
  const [loaded] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const before = visit();
  if (before ? before.done : loaded?.type !== "navigate") return null;
  const { key, at } = before ?? { key: newTap(-1).key, at: Date.now() };
  saveVisit({ key, at, done: false });
  return { tap: { delta: -1, undo: false, key }, isLate: Date.now() - at >= IDEMPOTENCY_PERIOD };
}

/** @returns {any} */
export function visit() {
  return history.state?.tap;
}

/** Save the visit for a reload. @param {object} tap */
export function saveVisit(tap) {
  history.replaceState({ tap: { ...visit(), ...tap } }, "");
}

/** @param {string} kind */
function once(kind) {
  return new Promise((done) => document.addEventListener(kind, done, { once: true }));
}
