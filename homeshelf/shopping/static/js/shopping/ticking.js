import { toast } from "../toast.js";
import { words } from "../words.js";
import { ticking } from "./changes.js";

/**
 * Two quick taps end where the last one said.
 * @param {import("./list.js").ShoppingList} list @param {HTMLElement} row
 */
export function tick(list, row) {
  const done = row.dataset.status !== "purchased";
  mark(list, row.id, done);
}

/** @param {import("./list.js").ShoppingList} list @param {string} id @param {boolean} done */
function mark(list, id, done) {
  const entry = list.state.entry(id);
  if (!entry) return;
  list.stir();
  list.state.act(ticking(entry, done ? "purchased" : "pending"));
  toast(words(done ? "bought" : "toBuy", { name: entry.name }), { undo: () => mark(list, id, !done) });
}
