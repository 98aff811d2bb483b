// What is pressed several times quickly is kept at once, and sent together after a moment.
import { queue } from "./sending.js";
import { sendSoon, sendWithoutPages } from "./soon.js";

const PAUSE = 450;

let timer = 0;

/** It is kept when this is done. @param {import("./change.js").OwnDraft} draft */
export async function addQuickly(draft) {
  clearTimeout(timer);
  timer = setTimeout(sendNow, PAUSE);
  await queue.add(draft);
  if (!timer) sendNow();
}

function sendNow() {
  clearTimeout(timer);
  timer = 0;
  sendSoon();
  sendWithoutPages();
}

document.addEventListener("visibilitychange", () => timer && document.hidden && sendNow());
