import { get, send } from "../api.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

const STORES = "/api/v1/stores/";
const ORDER = "/api/v1/shopping-list/order?storeId=";

// A link to the page that asks whether to delete something. Where it can be made again just as it was,
// it is deleted at once instead, and for some seconds one may think better of it.
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-undoable]");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  remove(link, link.dataset.undoable ?? "");
});

/** @param {HTMLAnchorElement} link @param {string} path */
async function remove(link, path) {
  const found = await get(path);
  const order = path.startsWith(STORES) ? await get(path.replace(STORES, ORDER)) : found;
  const was = { ...found.body, names: order.body.names ?? [] };
  const isKnown = found.ok && order.isHeard;
  const answer = isKnown ? await send("DELETE", path, {}) : found;
  if (!answer.isHeard || !isKnown) return toast(words("notDeleted"));
  if (!answer.ok && answer.status !== 404) return location.assign(link.href); // it says what is in the way
  link.closest("li")?.remove();
  toast(words("deleted", was), { undo: () => bringBack(path, was) });
}

/**
 * @param {string} path
 * @param {{name: string, description?: string | null, address?: string | null, names: string[]}} was
 *   with the names of its list, in the order that was learned there
 */
async function bringBack(path, was) {
  const { name, description, address, names } = was;
  const body = { name, ...(description && { description }), ...(address && { address }) };
  const answer = await send("POST", path.slice(0, path.lastIndexOf("/")), body);
  if (answer.ok) {
    toast(words("back", { name }));
    return names.length && putInOrder(ORDER + answer.body.storeId, names);
  }
  const why = answer.says(words("notBack", { name }));
  toast(why, { undo: () => bringBack(path, was), word: words("tryAgain") });
}

/** @param {string} path @param {string[]} names */
async function putInOrder(path, names) {
  const answer = await send("PUT", path, { names });
  if (!answer.ok) toast(answer.says(), { undo: () => putInOrder(path, names), word: words("tryAgain") });
}
