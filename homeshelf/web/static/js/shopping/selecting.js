// What of the list is meant: where somebody is, and by now.
import { plain } from "./names.js";

/**
 * @typedef {import("./shown.js").Entry} Entry
 * @typedef {import("./shown.js").List} List
 */

/** What came home from where somebody is. @param {List} list @param {string} at @returns {Entry[]} */
export function toPutAway({ entries, aside = [] }, at) {
  const bought = entries.filter((each) => each.status === "purchased" && isBoughtAt(each, at));
  return bought.filter(({ putAwayAt, itemId }) => !putAwayAt && !aside.includes(itemId));
}

/** The usual things that are not on the list. @param {List} list @param {string} at */
export function toOffer({ usual, entries }, at) {
  const listed = new Set(entries.filter(({ status }) => status === "pending").map(({ name }) => plain(name)));
  return usual.filter((each) => !listed.has(plain(each.name)) && isBoughtAt(each, at));
}

/** Everywhere, or there, or anywhere. @param {{storeId: string | null}} thing @param {string} at */
export function isBoughtAt({ storeId }, at) {
  return !at || !storeId || storeId === at;
}
