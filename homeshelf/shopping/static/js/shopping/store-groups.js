// Group entries by store, in the order of the store.
import { firstWord, foldName } from "../typing/names.js";
import { isShownForStore } from "./entry-filters.js";

const MOST = 500; // names of a store that are put in order

/**
 * @typedef {import("./pending-view.js").Entry} Entry
 * @typedef {import("./pending-view.js").List} List
 * @typedef {{storeId: string, name: string, entries: Entry[]}} Group
 */

/**
 * @param {List} list @param {string} at the current store, or "" for all
 * @returns {{groups: Group[], bought: Entry[]}}
 */
export function groupEntries(list, at) {
  const here = list.entries.filter((each) => isShownForStore(each, at));
  const stores = new Set(list.stores.map(({ storeId }) => storeId ?? ""));
  const pending = here.filter(({ status }) => status === "pending").sort(by("createdAt"));
  const groups = list.stores.map((store) => {
    const own = pending.filter(({ storeId }) => existingStore(storeId, stores) === (store.storeId ?? ""));
    return { storeId: store.storeId ?? "", name: store.name ?? "", entries: sortByOrder(own, store.order ?? []) };
  });
  const bought = here.filter(({ status }) => status === "purchased").sort(by("updatedAt")).reverse();
  return { groups: groups.filter(({ entries }) => entries.length), bought };
}

/**
 * Keep each name that is not on the list behind its former predecessor.
 * @param {string[]} order @param {string[]} standing
 */
export function mergeOrder(order, standing) {
  const moved = new Set(standing.map(foldName));
  const result = [...new Map(standing.map((name) => [foldName(name), name])).values()];
  order.forEach((name, i) => {
    if (moved.has(foldName(name))) return;
    const before = order.slice(0, i).findLast((each) => result.some((other) => foldName(other) === foldName(each)));
    const place = before === undefined ? 0 : result.findIndex((other) => foldName(other) === foldName(before)) + 1;
    result.splice(place, 0, name);
  });
  return result.slice(0, MOST);
}

/** @param {string} field a time @returns {(a: Entry, b: Entry) => number} */
function by(field) {
  return (a, b) => (a[field] < b[field] ? -1 : Number(a[field] > b[field]));
}

/** Treat a deleted store as no store. @param {string | null} storeId @param {Set<string>} stores */
function existingStore(storeId, stores) {
  return storeId && stores.has(storeId) ? storeId : "";
}

/**
 * Put new names after the last similar name, or at the end.
 * @param {Entry[]} entries @param {string[]} order
 */
function sortByOrder(entries, order) {
  const places = new Map(order.map((name, place) => [foldName(name), place]));
  const known = entries.filter(({ name }) => places.has(foldName(name)));
  known.sort((a, b) => Number(places.get(foldName(a.name))) - Number(places.get(foldName(b.name))));
  for (const entry of entries.filter(({ name }) => !places.has(foldName(name)))) {
    const like = known.findLastIndex(({ name }) => firstWord(name) === firstWord(entry.name));
    known.splice(like < 0 ? known.length : like + 1, 0, entry);
  }
  return known;
}
