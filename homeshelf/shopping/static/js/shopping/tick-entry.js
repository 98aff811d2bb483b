import { toast } from "../toast.js";
import { words } from "../words.js";
import { draftTick } from "./changes.js";

/**
 * Two quick taps end where the last one said.
 * @param {import("./list.js").ShoppingList} list @param {HTMLElement} row
 */
export function toggleEntry(list, row) {
  const done = row.dataset.status !== "purchased";
  markEntry(list, row.id, done);
}

/** @param {import("./list.js").ShoppingList} list @param {string} id @param {boolean} done */
function markEntry(list, id, done) {
  const entry = list.state.entry(id);
  if (!entry) return;
  list.stir();
  list.state.act(draftTick(entry, done ? "purchased" : "pending"));
  toast(words(done ? "bought" : "toBuy", { name: entry.name }), { undo: () => markEntry(list, id, !done) });
}
