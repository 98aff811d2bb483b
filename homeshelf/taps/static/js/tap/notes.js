// Notes of unanswered taps in localStorage, which a closing page can still write: IndexedDB would be too slow. The
// next page moves the notes to the queue (`queue/noted.js`).

/**
 * @typedef {import("../tap.js").TapPage} TapPage
 * @typedef {import("./taps.js").Tap} Tap
 */
const NOTE = "homeshelf:note:";

/** Save taps beyond the life of the page, except those that cancel out. @param {TapPage} page @param {Tap[]} taps */
export function saveNotes(page, taps) {
  removeNotes(taps.filter(({ delta }) => !delta));
  for (const tap of taps.filter(({ delta }) => delta)) {
    const { key, isOpen, at } = Object.assign(tap, { at: tap.at ?? Date.now() });
    // This page may send it at any time, so the queue must not combine it.
    const noted = [{ ...changeOf(page, tap), note: key, isRepeated: true }];
    try {
      localStorage.setItem(NOTE + key, JSON.stringify({ at, isOpen, noted }));
    } catch {} // storage is full or forbidden: the tap lives as long as the page
  }
}

/** @param {Tap[]} taps */
export function removeNotes(taps) {
  try {
    for (const { key } of taps) localStorage.removeItem(NOTE + key);
  } catch {} // storage is forbidden, so there are no notes
}

/** Return a tap as a change of the queue. @param {TapPage} page @param {Tap} tap @returns {any} */
export function changeOf(page, { delta, undo, key, isTried }) {
  // The server's time when the page was loaded, before any unanswered tap.
  const at = new Date(Number(page.dataset.at) * 1000).toISOString();
  return { ...draftOf(page, delta, undo), key, sent: isTried ? at : null, question: null, over: null };
}

/** @param {TapPage} page @param {number} delta @param {boolean} undo */
export function draftOf(page, delta, undo) {
  const label = page.querySelector("h1")?.textContent ?? "";
  const path = `/api/v1/taps/${page.tag}`;
  const whose = { who: "", family: "" };
  return { ...whose, kind: "tap", about: page.tag, label, method: "POST", path, body: { delta, undo }, seen: null };
}
