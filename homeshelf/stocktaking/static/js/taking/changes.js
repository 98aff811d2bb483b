// What is done while somebody takes stock, as drafts for the queue. All of them stand in one row, so that a place is
// there before what is kept in it, and a thing before it is counted up.
import { newUuid } from "../uuid.js";

/**
 * @typedef {import("../queue/change.js").Draft} Draft
 * @typedef {{itemId: string, name: string, quantity: number, threshold?: number, unit?: string, locationId?: string,
 *   preferredStoreId?: string, barcodes?: string[]}} NewItem
 */
export const MOST = 100; // in one request
const ROW = { about: "stock", seen: null };
const NAMED = 3;

/** @param {NewItem[]} items at most so many @returns {Draft} */
export function addingItems(items) {
  const path = "/api/v1/items/batch";
  return { ...ROW, kind: "stock.add", label: labelOf(items), method: "POST", path, body: { items } };
}

/** More or less of what is itself on its way. @param {{itemId: string, name: string}} item @param {number} delta */
export function countingItem({ itemId, name }, delta) {
  const path = `/api/v1/items/${itemId}/adjust`;
  return { ...ROW, kind: "stock.count", label: name, method: "POST", path, body: { delta }, seen: { itemId } };
}

/** @param {{itemId: string, name: string}} item */
export function removingItem({ itemId, name }) {
  const path = `/api/v1/items/${itemId}`;
  return { ...ROW, kind: "stock.remove", label: name, method: "DELETE", path, body: null, seen: { itemId } };
}

/** A new place, and the id that it has until the server gave it one. @param {string} name */
export function makingPlace(name) {
  const locationId = newUuid();
  const asked = { method: "POST", path: "/api/v1/locations", body: { name } };
  return { locationId, draft: { ...ROW, kind: "stock.place", label: name, ...asked, seen: { locationId } } };
}

/** @param {{name: string}[]} items */
export function labelOf(items) {
  const names = items.slice(0, NAMED).map(({ name }) => name);
  return [...names, ...(items.length > NAMED ? ["…"] : [])].join(", ");
}
