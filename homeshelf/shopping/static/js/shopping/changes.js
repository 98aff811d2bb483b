// Create drafts of list changes for the queue.

/** @typedef {import("../queue/change.js").Draft} Draft */
const LIST = "/api/v1/shopping-list";

/** @param {string} id */
export function pathOf(id) {
  return `${LIST}/${id}`;
}

/**
 * The id is made on the phone, so that what was added without a signal can be ticked without one.
 * @param {{shoppingItemId: string, name: string, itemId?: string | null, storeId?: string | null,
 *   quantity?: number | null, notes?: string | null, picture?: string, unit?: string | null,
 *   isRepeated?: boolean}} entry
 * @param {boolean} [force] though the item is on the list already
 * @returns {Draft}
 */
export function draftAddition({ picture = "", unit, isRepeated, ...entry }, force = false) {
  const body = { ...given(entry), ...(force && { force }) };
  const [about, label] = [entry.shoppingItemId, entry.name];
  return { kind: "entry.add", about, label, method: "POST", path: LIST, body, seen: { picture, unit } };
}

/** @param {any} entry as it is shown @param {"pending" | "purchased"} status @returns {Draft} */
export function draftTick(entry, status) {
  const seen = { putAwayAt: entry.putAwayAt ?? null };
  return { ...change("entry.tick", entry, "PATCH", "/status", { status }), seen };
}

/** @param {any} entry as it is shown @param {Record<string, any>} fields that are different now @returns {Draft} */
export function draftEdit(entry, fields) {
  const seen = Object.fromEntries(Object.keys(fields).map((name) => [name, entry[name] ?? null]));
  return { ...change("entry.edit", entry, "PATCH", "", fields), seen };
}

/** @param {any} entry as it is shown @returns {Draft} */
export function draftRemoval(entry) {
  return { ...change("entry.remove", entry, "DELETE", "", {}), body: null };
}

/**
 * @param {any} entry as it is shown
 * @param {{quantity?: number, asNewItem?: true, itemId?: string, withoutItem?: true}} [how]
 * @returns {Draft}
 */
export function draftPutAway(entry, how = {}) {
  return change("entry.away", entry, "POST", "/put-away", how);
}

/** @param {any} entry as it is shown @returns {Draft} */
export function draftTakeBack(entry) {
  return change("entry.back", entry, "DELETE", "/put-away", {});
}

/** @param {{storeId: string | null, name: string}} store @param {string[]} names @returns {Draft} */
export function draftOrder({ storeId, name }, names) {
  const at = storeId ?? "unassigned";
  const [about, path] = [`order:${at}`, `${LIST}/order?storeId=${at}`];
  return { kind: "list.order", about, label: name, method: "PUT", path, body: { names }, seen: { storeId } };
}

/** @param {{usualId: string, name: string}} usual @returns {Draft} */
export function draftForget({ usualId, name }) {
  const path = `${LIST}/usual/${usualId}`;
  return { kind: "usual.forget", about: usualId, label: name, method: "DELETE", path, body: null, seen: null };
}

/**
 * @param {string} kind @param {any} entry @param {string} method @param {string} what @param {object} body
 * @returns {Draft}
 */
function change(kind, { shoppingItemId, name, version }, method, what, body) {
  const path = pathOf(shoppingItemId) + what;
  return { kind, about: shoppingItemId, label: name, method, path, body: { ...body, version }, seen: null };
}

/** @param {Record<string, any>} fields */
function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
