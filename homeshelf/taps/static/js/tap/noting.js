// What is not answered is noted under its key, where a page can write at once: the browser's database takes a moment,
// and the page may be gone by then. Whichever page is next takes the note in (`queue/noted.js`).

/**
 * @typedef {import("../tap.js").TapPage} TapPage
 * @typedef {import("./pressing.js").Tap} Tap
 */
const NOTE = "homeshelf:note:";

/** They outlive the page from here on, but for those that came to nothing. @param {TapPage} page @param {Tap[]} taps */
export function note(page, taps) {
  strikeOut(taps.filter(({ delta }) => !delta));
  for (const tap of taps.filter(({ delta }) => delta)) {
    const { key, isOpen, at } = Object.assign(tap, { at: tap.at ?? Date.now() });
    // This page may send it at any time: nothing else joins it.
    const noted = [{ ...changeOf(page, tap), note: key, isRepeated: true }];
    try {
      localStorage.setItem(NOTE + key, JSON.stringify({ at, isOpen, noted }));
    } catch {} // it is full or forbidden, and the page has to stay for that moment
  }
}

/** @param {Tap[]} taps */
export function strikeOut(taps) {
  try {
    for (const { key } of taps) localStorage.removeItem(NOTE + key);
  } catch {} // nothing was noted either
}

/** As the queue has it. @param {TapPage} page @param {Tap} tap @returns {any} */
export function changeOf(page, { delta, undo, key, isTried }) {
  // The server's time before anything that is not answered yet.
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
