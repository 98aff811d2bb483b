import { newUuid } from "../uuid.js";
import { toast } from "../toast.js";
import { words } from "../words.js";
import { draftEdit, draftRemoval, draftAddition } from "./changes.js";
import { moveRow } from "./manual-order.js";
import { putAway } from "./trip-end.js";

/**
 * @typedef {import("./list.js").ShoppingList} ShoppingList
 * @typedef {import("./pending-view.js").Entry} Entry
 */

/** Edit an entry on the list page, with or without a connection. @param {ShoppingList} list */
export function enableEditSheet(list) {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("changing"));
  const form = dialog?.querySelector("form");
  if (!dialog || !form) return;
  /** @type {Entry | undefined} as it was when the sheet opened */
  let opened;
  list.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a.change");
    const entry = list.state.entry(link?.closest("li")?.id ?? "");
    if (!entry || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    opened = entry;
    fillForm(form, entry, list.state.kept);
    const opening = new CustomEvent("homeshelf:opening", { cancelable: true, detail: link });
    if (dialog.dispatchEvent(opening)) dialog.showModal();
  });
  form.addEventListener("submit", () => opened && save(list, form, opened));
  form.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"));
    const id = opened?.shoppingItemId ?? "";
    if (button?.dataset.move) moveRow(list, id, Number(button.dataset.move));
    if (!button?.matches("[data-remove], [data-away]")) return;
    const isAway = button.matches("[data-away]");
    if (isAway && !quantityField(form).reportValidity()) return;
    dialog.close();
    if (isAway) putAway(list, id, Number(quantityField(form).value));
    else remove(list, id);
  });
}

/** @param {HTMLFormElement} form @param {Entry} entry @param {import("./pending-view.js").List} list */
function fillForm(form, entry, { stores, people }) {
  const { name, quantity, storeId, notes, itemId, status, putAwayAt } = entry;
  const select = /** @type {HTMLSelectElement} */ (form.elements.namedItem("storeId"));
  const shops = stores.filter((store) => store.storeId).map((store) => new Option(store.name, store.storeId ?? ""));
  select.replaceChildren(select.options[0], ...shops);
  const shown = { name, quantity: quantity ?? 1, storeId: storeId ?? "", notes: notes ?? "" };
  for (const [field, value] of Object.entries(shown))
    /** @type {HTMLInputElement} */ (form.elements.namedItem(field)).value = String(value);
  quantityField(form).value = String(quantity ?? 1);
  form.querySelector(".putting-away")?.toggleAttribute("hidden", status !== "purchased" || Boolean(putAwayAt));
  const adder = people?.[entry.addedBy] ?? "";
  const addedBy = form.querySelector(".added-by");
  if (addedBy) addedBy.textContent = adder && words("addedBy", { name: adder });
  const stocked = form.querySelector(".stocked");
  stocked?.toggleAttribute("hidden", !itemId);
  stocked?.setAttribute("href", `/stock/${itemId}`);
}

/** The field for the quantity to put away. @param {HTMLFormElement} form */
function quantityField(form) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem("away"));
}

/**
 * Send only the changed fields, so that changes by others are kept.
 * @param {ShoppingList} list @param {HTMLFormElement} form @param {Entry} entry when the sheet opened
 */
function save(list, form, entry) {
  const typed = new FormData(form);
  const [name, storeId, notes] = ["name", "storeId", "notes"].map((field) => String(typed.get(field)).trim());
  const many = Number(typed.get("quantity")) || null;
  const quantity = (many ?? 1) === (entry.quantity ?? 1) ? entry.quantity : many; // no quantity is shown as one
  const now = { name, quantity, storeId: storeId || null, notes: notes || null };
  const different = Object.entries(now).filter(([field, value]) => (entry[field] || null) !== value);
  if (different.length) list.state.act(draftEdit(entry, Object.fromEntries(different)));
}

/** @param {ShoppingList} list @param {string} id */
function remove(list, id) {
  const entry = list.state.entry(id);
  if (!entry) return;
  list.state.act(draftRemoval(entry));
  toast(words("offTheList", { name: entry.name }), { undo: () => restoreEntry(list, entry) });
}

/** Add it as a new entry, because a deleted id cannot be used again. @param {ShoppingList} list @param {Entry} entry */
function restoreEntry(list, { name, itemId, storeId, quantity, notes, picture }) {
  const again = { shoppingItemId: newUuid(), name, itemId, storeId, quantity, notes, picture };
  list.state.act(draftAddition(again, true));
  list.show([again.shoppingItemId]);
}
