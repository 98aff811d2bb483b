// What is pressed several times quickly is kept at once, and sent together after a moment.
import { keep } from "./noted.js";
import { sendSoon, sendWithoutPages } from "./soon.js";

const PAUSE = 450;
const { member: who = "", family = "" } = document.body.dataset;

let timer = 0;

/** Of the person of the page. They are kept when this is done. @type {typeof import("./phone.js").add} */
export async function addQuickly(...drafts) {
  clearTimeout(timer);
  timer = setTimeout(sendNow, PAUSE);
  await keep(drafts.map((draft) => ({ who, family, ...draft })));
  if (!timer) sendNow();
}

function sendNow() {
  clearTimeout(timer);
  timer = 0;
  sendSoon();
  sendWithoutPages();
}

document.addEventListener("visibilitychange", () => timer && document.hidden && sendNow());
