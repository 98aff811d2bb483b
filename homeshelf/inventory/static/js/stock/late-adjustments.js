// Asks whether to repeat an adjustment that was sent a day ago and never answered: only the user can know.
import { answerQuestion, listWaiting } from "../queue/api.js";
import { words } from "../words.js";
import { KIND } from "./counts.js";

/** @type {import("../queue/change.js").Change | undefined} */
let asked;

const place = document.querySelector(".counted-late");

async function ask() {
  asked = (await listWaiting()).find(({ kind, question }) => kind === KIND && question);
  place?.toggleAttribute("hidden", !asked);
  const line = place?.querySelector("span");
  if (!asked || !line) return;
  const delta = asked.body?.delta;
  line.textContent = words(delta < 0 ? "lateLess" : "lateMore", { name: asked.label, count: Math.abs(delta) });
}

place?.addEventListener("click", ({ target }) => {
  const button = /** @type {Element} */ (target).closest("button");
  if (button && asked) answerQuestion(asked, button.value === "again" ? { again: {} } : { drop: true });
});

document.addEventListener("homeshelf:queue", ask);
ask();
