// What is pressed several times quickly is kept at once, and sent together after a moment.
import { addDrafts } from "./journal.js";
import { scheduleFlush, registerBackgroundSync } from "./scheduler.js";

const PAUSE = 450;
const { member: who = "", family = "" } = document.body.dataset;

let timer = 0;

/** Of the person of the page. They are kept when this is done. @type {typeof import("./api.js").add} */
export async function addDebounced(...drafts) {
  clearTimeout(timer);
  timer = setTimeout(sendNow, PAUSE);
  await addDrafts(drafts.map((draft) => ({ who, family, ...draft })));
  if (!timer) sendNow();
}

function sendNow() {
  clearTimeout(timer);
  timer = 0;
  scheduleFlush();
  registerBackgroundSync();
}

document.addEventListener("visibilitychange", () => timer && document.hidden && sendNow());
