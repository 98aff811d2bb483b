// Select entries and usual things for the current store.
import { foldName } from "../typing/names.js";

/**
 * @typedef {import("./pending-view.js").Entry} Entry
 * @typedef {import("./pending-view.js").List} List
 */

/**
 * Purchased entries of the current store to put away, or with `isAside` those of archived items.
 * @param {List} list @param {string} at @param {boolean} [isAside] @returns {Entry[]}
 */
export function selectToPutAway({ entries, aside = [] }, at, isAside = false) {
  const bought = entries.filter((each) => each.status === "purchased" && isShownForStore(each, at));
  return bought.filter(({ putAwayAt, itemId }) => !putAwayAt && aside.includes(itemId) === isAside);
}

/** The usual things that are not on the list. @param {List} list @param {string} at */
export function selectUsual({ usual, entries }, at) {
  const listed = new Set(entries.filter(({ status }) => status === "pending").map(({ name }) => foldName(name)));
  return usual.filter((each) => !listed.has(foldName(each.name)) && isShownForStore(each, at));
}

/** Check whether a thing is shown in the list of a store. @param {{storeId: string | null}} thing @param {string} at */
export function isShownForStore({ storeId }, at) {
  return !at || !storeId || storeId === at;
}
