// Update the cached list with responses of the server.

/** @typedef {import("../queue/change.js").Change} Change */

/**
 * Replace a cached entry, but ignore responses older than the cache.
 * @param {any} list @param {Change} change @param {any} record
 */
export function updateEntry(list, change, record) {
  const id = record?.shoppingItemId ?? change.about;
  /** @type {any[]} */
  const others = list.entries.filter((/** @type {any} */ each) => each.shoppingItemId !== id);
  if (!record) return { ...list, entries: others };
  const place = list.entries.findIndex((/** @type {any} */ each) => each.shoppingItemId === id);
  const known = list.entries[place];
  const isNew = change.kind === "entry.add" && id === change.about;
  if (!known && !isNew) return list; // another client has deleted it
  if (known?.version > record.version) return list;
  const { picture = "", unit = "" } = change.seen ?? {};
  const entry = { picture, unit, ...known, ...record };
  return { ...list, entries: known ? list.entries.with(place, entry) : [...others, entry] };
}

/** @param {any[]} stores @param {Change} change */
export function updateOrder(stores, { body, seen }) {
  const storeId = seen?.storeId ?? null;
  const isIt = (/** @type {any} */ store) => (store.storeId ?? null) === storeId;
  return (stores ?? []).map((store) => (isIt(store) ? { ...store, order: body?.names } : store));
}

/** @param {any[]} usual @param {string} id */
export function removeUsual(usual, id) {
  return (usual ?? []).filter((each) => each.usualId !== id);
}
