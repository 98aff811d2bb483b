import { get, send } from "../api.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

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
  const was = found.body;
  const answer = found.ok ? await send("DELETE", path, {}) : found;
  if (!answer.isHeard || !found.ok) return toast(words("notDeleted"));
  if (!answer.ok && answer.status !== 404) return location.assign(link.href); // it says what is in the way
  link.closest("li")?.remove();
  toast(words("deleted", was), { undo: () => bringBack(path, was) });
}

/** @param {string} path @param {{name: string, description?: string | null, address?: string | null}} was */
async function bringBack(path, was) {
  const { name, description, address } = was;
  const body = { name, ...(description && { description }), ...(address && { address }) };
  const answer = await send("POST", path.slice(0, path.lastIndexOf("/")), body);
  if (answer.ok) return toast(words("back", { name }));
  const why = answer.says(words("notBack", { name }));
  toast(why, { undo: () => bringBack(path, was), word: words("tryAgain") });
}
