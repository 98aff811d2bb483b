// What of the list is meant: where somebody is, and by now.
import { foldName } from "../typing/names.js";

/**
 * @typedef {import("./shown.js").Entry} Entry
 * @typedef {import("./shown.js").List} List
 */

/**
 * What came home from where somebody is, or what of it is put aside and has to stay.
 * @param {List} list @param {string} at @param {boolean} [isAside] @returns {Entry[]}
 */
export function toPutAway({ entries, aside = [] }, at, isAside = false) {
  const bought = entries.filter((each) => each.status === "purchased" && isBoughtAt(each, at));
  return bought.filter(({ putAwayAt, itemId }) => !putAwayAt && aside.includes(itemId) === isAside);
}

/** The usual things that are not on the list. @param {List} list @param {string} at */
export function toOffer({ usual, entries }, at) {
  const listed = new Set(entries.filter(({ status }) => status === "pending").map(({ name }) => foldName(name)));
  return usual.filter((each) => !listed.has(foldName(each.name)) && isBoughtAt(each, at));
}

/** Everywhere, or there, or anywhere. @param {{storeId: string | null}} thing @param {string} at */
export function isBoughtAt({ storeId }, at) {
  return !at || !storeId || storeId === at;
}
