// Store quick presses at once and send them together after a pause.
import { addDrafts } from "./journal.js";
import { scheduleFlush, registerBackgroundSync } from "./scheduler.js";

const PAUSE = 450;
const { member: who = "", family = "" } = document.body.dataset;

let timer = 0;

/** Add changes of the page's user. They are stored when this resolves. @type {typeof import("./api.js").add} */
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
