// Apply pending changes to the cached list for display.
import { updateOrder, removeUsual } from "./cached-list.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * An entry as the API shows it, with what waits of it.
 * @typedef {{shoppingItemId: string, name: string, itemId: string | null, storeId: string | null,
 *   status: "pending" | "purchased", quantity: number | null, notes: string | null, putAwayAt: string | null,
 *   version: number, picture: string, isWaiting?: boolean, asked?: Change | null, [more: string]: any}} Entry
 * @typedef {{entries: Entry[], stores: any[], usual: any[], at: string, [more: string]: any}} List
 */

/** @param {List} kept @param {Change[]} changes in order @returns {List} */
export function applyChanges(kept, changes) {
  return changes.filter(({ over }) => !over)
    .reduce((list, change) => (SHOWN[change.kind] ?? identity)(list, change), kept);
}

/** @type {Record<string, (list: List, change: Change) => List>} */
const SHOWN = {
  "entry.add": (list, change) => {
    const waits = { isWaiting: !change.question, asked: change.question && change };
    if (entryOf(list, change)) return updateEntry(list, change, waits);
    return { ...list, entries: [...list.entries, { ...newEntry(list, change), ...waits }] };
  },
  "entry.tick": (list, change) =>
    updatePending(list, change, ({ putAwayAt }) => {
      const { status } = /** @type {any} */ (change.body);
      return { status, putAwayAt: status === "pending" ? null : putAwayAt };
    }),
  "entry.edit": (list, change) =>
    updatePending(list, change, ({ version }) => ({ ...change.body, version })),
  "entry.remove": (list, change) =>
    change.question
      ? updatePending(list, change, () => ({}))
      : { ...list, entries: list.entries.filter((each) => each.shoppingItemId !== change.about) },
  "entry.away": (list, change) => updatePending(list, change, ({ putAwayAt }) => ({ putAwayAt: putAwayAt ?? list.at })),
  "entry.back": (list, change) => updatePending(list, change, () => ({ putAwayAt: null })),
  "list.order": (list, change) => ({ ...list, stores: updateOrder(list.stores, change) }),
  "usual.forget": (list, change) => ({ ...list, usual: removeUsual(list.usual, change.about) }),
};

/** @param {List} list */
function identity(list) {
  return list;
}

/**
 * Shows the entry as the change will leave it, unless a person has to decide first.
 * @param {List} list @param {Change} change @param {(entry: Entry) => object} becomes
 */
function updatePending(list, change, becomes) {
  const entry = entryOf(list, change);
  if (!entry) return list;
  const waits = change.question ? { asked: change } : { ...becomes(entry), isWaiting: true };
  return updateEntry(list, change, waits);
}

/** @param {List} list @param {Change} change */
function entryOf(list, { about }) {
  return list.entries.find((each) => each.shoppingItemId === about);
}

/** @param {List} list @param {Change} change @param {object} fields @returns {List} */
function updateEntry(list, { about }, fields) {
  const place = list.entries.findIndex((each) => each.shoppingItemId === about);
  return { ...list, entries: list.entries.with(place, { ...list.entries[place], ...fields }) };
}

const LAST = "9999"; // a time after those of the server, so that new entries stay in the order typed

/** Makes the entry as the server will. @param {List} list @param {Change} change @returns {Entry} */
function newEntry({ at }, { about, label, who, family, body, seen }) {
  const { force, ...given } = body ?? {};
  const empty = { itemId: null, storeId: null, quantity: null, notes: null, ttl: null, putAwayAt: null };
  const made = { shoppingItemId: about, familyId: family, name: label, addedBy: who, createdAt: LAST, updatedAt: at };
  return { ...empty, ...made, status: "pending", version: 1, picture: seen?.picture ?? "", unit: seen?.unit, ...given };
}
