// Drafts of stocktaking changes for the queue. All are sent in one row, so that a place exists before its items,
// and an item before its adjustments.
import { newUuid } from "../uuid.js";

/**
 * @typedef {import("../queue/change.js").Draft} Draft
 * @typedef {{itemId: string, name: string, quantity: number, threshold?: number, unit?: string, notes?: string,
 *   locationId?: string,
 *   preferredStoreId?: string, barcodes?: string[]}} NewItem
 */
export const MOST = 100; // in one request
const ROW = { about: "stock", seen: null };
const NAMED = 3;

/** @param {NewItem[]} items at most `MOST` @returns {Draft} */
export function addItemsDraft(items) {
  const path = "/api/v1/items/batch";
  return { ...ROW, kind: "stock.add", label: labelOf(items), method: "POST", path, body: { items } };
}

/** Adjust an item that is itself pending. @param {{itemId: string, name: string}} item @param {number} delta */
export function adjustItemDraft({ itemId, name }, delta) {
  const path = `/api/v1/items/${itemId}/adjust`;
  return { ...ROW, kind: "stock.count", label: name, method: "POST", path, body: { delta }, seen: { itemId } };
}

/** @param {{itemId: string, name: string}} item */
export function removeItemDraft({ itemId, name }) {
  const path = `/api/v1/items/${itemId}`;
  return { ...ROW, kind: "stock.remove", label: name, method: "DELETE", path, body: null, seen: { itemId } };
}

/** Add a place under a temporary id, which the server's id replaces. @param {string} name */
export function addPlaceDraft(name) {
  const locationId = newUuid();
  const asked = { method: "POST", path: "/api/v1/locations", body: { name } };
  return { locationId, draft: { ...ROW, kind: "stock.place", label: name, ...asked, seen: { locationId } } };
}

/** @param {{name: string}[]} items */
export function labelOf(items) {
  const names = items.slice(0, NAMED).map(({ name }) => name);
  return [...names, ...(items.length > NAMED ? ["…"] : [])].join(", ");
}
