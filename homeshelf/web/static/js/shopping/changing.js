import { send } from "../api.js";
import { rowOf, showDone } from "../rows.js";
import { toast } from "../toast.js";
import { words } from "../words.js";
import { refresh, touched } from "./following.js";

/** @param {HTMLElement} list @param {HTMLElement} row */
export async function tick(list, row) {
  const { name = "", status } = row.dataset;
  const done = status !== "purchased";
  row.dataset.status = done ? "purchased" : "pending";
  showDone(row, done);
  const undo = () => tick(list, rowOf(list, row.id) ?? row);
  toast(words(done ? "bought" : "toBuy", { name }), { undo });
  const now = await change("PATCH", row, "status", { status: row.dataset.status });
  if (now) row.dataset.version = now.version;
  else await refresh(list, row.id);
  touched(list);
}

/** @param {HTMLElement} list @param {HTMLElement} row @param {boolean} away or taken back */
export async function putAway(list, row, away) {
  const now = await change(away ? "POST" : "DELETE", row, "put-away", {});
  const undo = () => putAway(list, rowOf(list, row.id) ?? row, false);
  if (now && away) toast(words("putAway", { count: now.item.quantity, name: now.item.name }), { undo });
  await refresh(list, row.id);
}

/**
 * Under the version that is shown. What is not yet safe looks paler.
 * @param {string} method @param {HTMLElement} row @param {string} what @param {object} body
 */
async function change(method, row, what, body) {
  row.classList.add("entry-unsafe");
  const path = `/api/v1/shopping-list/${row.id}/${what}`;
  const answer = await send(method, path, { ...body, version: Number(row.dataset.version) });
  row.classList.remove("entry-unsafe");
  if (answer.ok) return answer.body;
  if (answer.body.code !== "version_conflict") toast(answer.says());
  return null;
}
