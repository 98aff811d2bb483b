// Show open questions and lost changes at the top, one after another.
import { answerQuestion, dismiss } from "../queue/api.js";
import { words } from "../words.js";
import { askQuestion } from "./question-dialog.js";
import { groupQuestions, listChoices, describeQuestion } from "./question-text.js";

/** @param {import("./list.js").ShoppingList} list */
export function enableQuestionBar(list) {
  const place = document.querySelector(".decision-bar");
  const line = place?.querySelector("p");
  place?.querySelector("button")?.addEventListener("click", () => answerQuestions(list));
  list.addEventListener("homeshelf:drawn", () => {
    const all = pendingQuestions(list);
    place?.toggleAttribute("hidden", !all.length);
    const text = all.length ? describeQuestion(all[0], list.state.kept.stores) : "";
    if (line && line.textContent !== text) line.textContent = text;
  });
}

/** @param {import("./list.js").ShoppingList} list */
function pendingQuestions({ state }) {
  return groupQuestions([...state.changes.filter(({ question }) => question), ...state.lost]);
}

/** @param {import("./list.js").ShoppingList} list */
async function answerQuestions(list) {
  const seen = new Set();
  for (let group; (group = pendingQuestions(list).find(([{ n }]) => !seen.has(n))); ) {
    const [next] = group;
    for (const { n } of group) seen.add(n);
    const title = describeQuestion(group, list.state.kept.stores);
    const verdict = await askQuestion(
      title, "", next.over ? [{ word: words("allRight"), means: null }] : listChoices(next),
    );
    if (next.over) await Promise.all(group.map((each) => dismiss(each)));
    else if (verdict) await answerQuestion(next, verdict);
    await list.state.read();
  }
}
