// Reorder rows by dragging, with the arrow keys on their handle, or with Alt and an arrow key.
import { moveFocus } from "../order/arrow-keys.js";
import { Dragging } from "../order/dragging.js";
import { enableLongPress } from "../order/long-press.js";
import { words } from "../words.js";
import { draftOrder } from "./changes.js";
import { mergeOrder } from "./store-groups.js";

/** @typedef {import("./list.js").ShoppingList} ShoppingList */
const ROWS = ".list-group .entry";

/** @param {ShoppingList} list */
export function enableReordering(list) {
  list.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const target = /** @type {Element} */ (event.target);
    const row = target.closest(ROWS);
    const moves = event.altKey || target.closest(".grip");
    if (!moves || !by || !row) return moveFocus(list, event);
    event.preventDefault();
    if (list.querySelector(".tick")) moveRow(list, row.id, by);
  });
  if (!document.querySelector(".quick-add")) return; // who only reads it
  enableLongPress(list, ROWS, new Dragging(list, { rows, dropped: (row) => save(list, row) }));
}

/** @param {ShoppingList} list @param {string} id @param {number} by */
export function moveRow(list, id, by) {
  const row = list.querySelector(`${ROWS}[id="${id}"]`);
  const other = by < 0 ? row?.previousElementSibling : row?.nextElementSibling;
  if (!(row instanceof HTMLElement) || !other) return;
  const focused = document.activeElement;
  if (by < 0) other.before(row);
  else other.after(row);
  if (focused instanceof HTMLElement) focused.focus();
  save(list, row);
}

/** @param {HTMLElement} row @returns {HTMLElement[]} */
function rows(row) {
  return [.../** @type {HTMLCollectionOf<HTMLElement>} */ (row.parentElement?.children ?? [])];
}

/** @param {ShoppingList} list @param {HTMLElement} row that has moved */
function save(list, row) {
  const { store: at = "" } = /** @type {HTMLElement} */ (row.closest(".list-group")).dataset;
  const store = list.state.shown.stores.find(({ storeId }) => (storeId ?? "") === at);
  const standing = rows(row).map(({ dataset }) => dataset.name ?? "");
  const place = rows(row).indexOf(row) + 1;
  const spoken = list.querySelector(".spoken");
  if (spoken) spoken.textContent = words("moved", { name: row.dataset.name ?? "", place, total: standing.length });
  list.stir();
  if (store) list.state.act(draftOrder(store, mergeOrder(store.order ?? [], standing)));
}
