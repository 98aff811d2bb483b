import { get, send } from "../api.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

const STORES = "/api/v1/stores/";
const ORDER = "/api/v1/shopping-list/order?storeId=";

// Without scripts, the link opens a page that asks before it deletes. A record that can be created again
// is deleted at once instead, with an undo button in a toast.
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-undoable]");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  remove(link, link.dataset.undoable ?? "");
});

/** @param {HTMLAnchorElement} link @param {string} path */
async function remove(link, path) {
  const current = await get(path);
  const order = path.startsWith(STORES) ? await get(path.replace(STORES, ORDER)) : current;
  const deleted = { ...current.body, names: order.body.names ?? [] };
  const isRestorable = current.ok && order.isHeard;
  const answer = isRestorable ? await send("DELETE", path, {}) : current;
  if (!answer.isHeard || !isRestorable) return toast(words("notDeleted"));
  if (!answer.ok && answer.status !== 404) return location.assign(link.href); // the page says what uses it
  link.closest("li")?.remove();
  toast(words("deleted", deleted), { undo: () => restore(path, deleted) });
}

/**
 * @param {string} path
 * @param {{name: string, description?: string | null, address?: string | null, names: string[]}} deleted
 *   with the names of a store's list, in their learned order
 */
async function restore(path, deleted) {
  const { name, description, address, names } = deleted;
  const body = { name, ...(description && { description }), ...(address && { address }) };
  const answer = await send("POST", path.slice(0, path.lastIndexOf("/")), body);
  if (answer.ok) {
    toast(words("back", { name }));
    return names.length && restoreOrder(ORDER + answer.body.storeId, names);
  }
  const why = answer.says(words("notBack", { name }));
  toast(why, { undo: () => restore(path, deleted), word: words("tryAgain") });
}

/** @param {string} path @param {string[]} names */
async function restoreOrder(path, names) {
  const answer = await send("PUT", path, { names });
  if (!answer.ok) toast(answer.says(), { undo: () => restoreOrder(path, names), word: words("tryAgain") });
}
