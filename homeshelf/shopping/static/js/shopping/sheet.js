import { newUuid } from "../uuid.js";
import { toast } from "../toast.js";
import { words } from "../words.js";
import { editing, removing, adding } from "./changes.js";
import { step } from "./ordering.js";
import { putAway } from "./trip-end.js";

/**
 * @typedef {import("./list.js").ShoppingList} ShoppingList
 * @typedef {import("./shown.js").Entry} Entry
 */

/** An entry is changed where it stands, with or without a signal. @param {ShoppingList} list */
export function changeInSheet(list) {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("changing"));
  const form = dialog?.querySelector("form");
  if (!dialog || !form) return;
  /** @type {Entry | undefined} as it was when somebody began */
  let opened;
  list.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a.change");
    const entry = list.state.entry(link?.closest("li")?.id ?? "");
    if (!entry || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    opened = entry;
    fill(form, entry, list.state.kept.stores);
    const opening = new CustomEvent("homeshelf:opening", { cancelable: true, detail: link });
    if (dialog.dispatchEvent(opening)) dialog.showModal();
  });
  form.addEventListener("submit", () => opened && save(list, form, opened));
  form.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"));
    const id = opened?.shoppingItemId ?? "";
    if (button?.dataset.move) step(list, id, Number(button.dataset.move));
    if (!button?.matches("[data-remove], [data-away]")) return;
    const isAway = button.matches("[data-away]");
    if (isAway && !many(form).reportValidity()) return;
    dialog.close();
    if (isAway) putAway(list, id, Number(many(form).value));
    else remove(list, id);
  });
}

/** @param {HTMLFormElement} form @param {Entry} entry @param {{storeId: string | null, name: string}[]} stores */
function fill(form, entry, stores) {
  const { name, quantity, storeId, notes, itemId, status, putAwayAt } = entry;
  const select = /** @type {HTMLSelectElement} */ (form.elements.namedItem("storeId"));
  const shops = stores.filter((store) => store.storeId).map((store) => new Option(store.name, store.storeId ?? ""));
  select.replaceChildren(select.options[0], ...shops);
  const shown = { name, quantity: quantity ?? "", storeId: storeId ?? "", notes: notes ?? "" };
  for (const [field, value] of Object.entries(shown))
    /** @type {HTMLInputElement} */ (form.elements.namedItem(field)).value = String(value);
  many(form).value = String(quantity ?? 1);
  form.querySelector(".putting-away")?.toggleAttribute("hidden", status !== "purchased" || Boolean(putAwayAt));
  const stocked = form.querySelector(".stocked");
  stocked?.toggleAttribute("hidden", !itemId);
  stocked?.setAttribute("href", `/stock/${itemId}`);
}

/** How many come into the stock. @param {HTMLFormElement} form */
function many(form) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem("away"));
}

/**
 * Only what is different is said, so that what others change stays, also while somebody writes.
 * @param {ShoppingList} list @param {HTMLFormElement} form @param {Entry} entry as it was
 */
function save(list, form, entry) {
  const typed = new FormData(form);
  const [name, storeId, notes] = ["name", "storeId", "notes"].map((field) => String(typed.get(field)).trim());
  const quantity = Number(typed.get("quantity")) || null;
  const now = { name, quantity, storeId: storeId || null, notes: notes || null };
  const different = Object.entries(now).filter(([field, value]) => (entry[field] || null) !== value);
  if (different.length) list.state.act(editing(entry, Object.fromEntries(different)));
}

/** @param {ShoppingList} list @param {string} id */
function remove(list, id) {
  const entry = list.state.entry(id);
  if (!entry) return;
  list.state.act(removing(entry));
  toast(words("offTheList", { name: entry.name }), { undo: () => bringBack(list, entry) });
}

/** As a new one: what was deleted stays so. @param {ShoppingList} list @param {Entry} entry */
function bringBack(list, { name, itemId, storeId, quantity, notes, picture }) {
  const again = { shoppingItemId: newUuid(), name, itemId, storeId, quantity, notes, picture };
  list.state.act(adding(again, true));
  list.show([again.shoppingItemId]);
}
