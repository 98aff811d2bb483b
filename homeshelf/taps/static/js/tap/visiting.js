// Whether somebody really came, and what this visit is remembered by.
import { newTap } from "./pressing.js";

const ANSWERS_KEPT = 23 * 3600 * 1000;

/** Until somebody looks: what is prepared before that is no visit. */
export async function whenSeen() {
  const prerendered = /** @type {any} */ (document);
  if (prerendered.prerendering) await once("prerenderingchange");
  while (!isSeen()) await once("visibilitychange");
}

export function isSeen() {
  return document.visibilityState === "visible";
}

/**
 * A reload or the way back is no visit; one whose answer never came is asked about again.
 * @returns {{tap: import("./pressing.js").Tap, isLate: boolean} | null}
 */
export function begin() {
  const [loaded] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const before = visit();
  if (before ? before.done : loaded?.type !== "navigate") return null;
  const { key, at } = before ?? { key: newTap(-1).key, at: Date.now() };
  remember({ key, at, done: false });
  return { tap: { delta: -1, undo: false, key }, isLate: Date.now() - at >= ANSWERS_KEPT };
}

/** @returns {any} */
export function visit() {
  return history.state?.tap;
}

/** So that a reload finds it. @param {object} tap */
export function remember(tap) {
  history.replaceState({ tap: { ...visit(), ...tap } }, "");
}

/** @param {string} kind */
function once(kind) {
  return new Promise((done) => document.addEventListener(kind, done, { once: true }));
}
