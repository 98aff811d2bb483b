import { morph } from "../live/morph.js";
import { freshRow, renew, rowOf } from "../rows.js";

export const TOUCHED = "homeshelf:touched";

/** One of its rows came, went or changed. @param {HTMLElement} list */
export function touched(list) {
  list.dispatchEvent(new CustomEvent(TOUCHED));
}

/** @param {HTMLElement} list @param {import("../live/stream.js").Change} change */
export function hear(list, { type, id, version }) {
  if (type === "reset") return renew(list, location.href);
  if (type !== "ShoppingListItem") return;
  const row = rowOf(list, id);
  if (version === null) return row?.remove(), touched(list);
  if (row && (Number(row.dataset.version) >= version || row.matches(".entry-unsafe"))) return;
  refresh(list, id);
}

/** The row as it is now, in its place. @param {HTMLElement} list @param {string} id */
export async function refresh(list, id) {
  const { at } = list.dataset;
  const { answer, fresh } = await freshRow(`/list/${id}/row${at ? `?at=${at}` : ""}`);
  // From here on nothing waits: of two who refresh a new row, the second must find the first's.
  const row = rowOf(list, id);
  const stays = row?.dataset.store === fresh?.dataset.store;
  if (row && fresh && stays) morph(row, fresh);
  else if (fresh || answer.status === 404) {
    row?.remove();
    if (fresh) place(list, fresh);
  }
  touched(list);
}

/** @param {HTMLElement} list @param {HTMLElement} row */
function place(list, row) {
  const { at } = list.dataset;
  const { store, status } = row.dataset;
  if (at && store && store !== at) return;
  const group = status === "purchased" ? ".bought" : `.list-group[data-store="${store}"]`;
  const rows = list.querySelector(`${group} ul`);
  if (!rows) return renew(list, location.href); // a store that had none so far
  if (status === "purchased") rows.prepend(row);
  else rows.append(row);
}
