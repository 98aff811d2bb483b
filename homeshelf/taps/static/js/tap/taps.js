// Taps, and how quick presses are combined into one.
export const MOST = 20;
const OPEN = 1000; // half of the time before another page takes over a note

/**
 * @typedef {object} Tap
 * @property {number} delta @property {boolean} undo @property {string} key
 * @property {boolean} [isOpen] whether a press can still be added, because it is not sent
 * @property {number} [at] when it was noted
 * @property {boolean} [isKept] on the phone
 * @property {boolean} [isTried] whether the server may have it
 */

/** @param {number} delta @param {boolean} [undo] @returns {Tap} */
export function newTap(delta, undo = false) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { delta, undo, key: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** Add a press, to the last tap while that is open. @param {Tap[]} pressed @param {number} delta */
export function addPress(pressed, delta) {
  const last = pressed.at(-1);
  const together = (last?.delta ?? 0) + delta;
  const isOpen = last?.isOpen && Math.abs(Date.now() - (last.at ?? 0)) < OPEN;
  if (!isOpen || Math.abs(together) > MOST) return [...pressed, { ...newTap(delta), isOpen: true }];
  last.delta = together;
  return together ? pressed : pressed.slice(0, -1);
}
