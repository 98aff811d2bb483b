// What a person has to decide, and what nothing came of: said at the top, one after the other.
import { answerQuestion, dismiss } from "../queue/api.js";
import { words } from "../words.js";
import { ask } from "./asking.js";
import { choicesOf, sentenceOf } from "./wording.js";

/** @param {import("./list.js").ShoppingList} list */
export function askWhatWaits(list) {
  const place = document.querySelector(".decision-bar");
  const line = place?.querySelector("p");
  place?.querySelector("button")?.addEventListener("click", () => decide(list));
  list.addEventListener("homeshelf:drawn", () => {
    const all = waiting(list);
    place?.toggleAttribute("hidden", !all.length);
    const text = all.length ? sentenceOf(all[0], list.state.kept.stores) : "";
    if (line && line.textContent !== text) line.textContent = text;
  });
}

/** @param {import("./list.js").ShoppingList} list */
function waiting({ state }) {
  return [...state.changes.filter(({ question }) => question), ...state.lost];
}

/** @param {import("./list.js").ShoppingList} list */
async function decide(list) {
  const seen = new Set();
  for (let next; (next = waiting(list).find(({ n }) => !seen.has(n))); ) {
    seen.add(next.n);
    const title = sentenceOf(next, list.state.kept.stores);
    const verdict = await ask(title, "", next.over ? [{ word: words("allRight"), means: null }] : choicesOf(next));
    if (next.over) await dismiss(next);
    else if (verdict) await answerQuestion(next, verdict);
    await list.state.read();
  }
}
