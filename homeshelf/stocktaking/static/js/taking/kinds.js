// The queue's rules for stocktaking changes: see docs/offline.md. The queue loads this file if such changes wait.
import { registerKinds } from "../queue/kinds.js";
import { isOk, judgeByStatus, deletion } from "../queue/verdicts.js";
import { labelOf, MOST } from "./changes.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").OwnDraft} OwnDraft
 * @typedef {import("../queue/change.js").Answer} Answer
 * @typedef {import("../queue/change.js").Kind} Kind
 * @typedef {import("../queue/change.js").Verdict} Verdict
 * @typedef {import("./changes.js").NewItem} NewItem
 */

/** New items with ids from this phone: existing ones were created by this same request. @type {Kind} */
const add = {
  isIndependent: true,
  join: (before, draft) => {
    const last = before.at(-1);
    if (last?.kind !== draft.kind) return undefined;
    const items = [...itemsOf(last), ...itemsOf(draft)];
    const isRoom = items.length <= MOST && !items.some(({ barcodes }) => barcodes); // an answer names only one item
    return isRoom ? [...before.slice(0, -1), withItems(last, items)] : undefined;
  },
  verdict: (change, answer) => {
    const { status, body, isLate } = answer;
    const items = itemsOf(change);
    if (isLate && status === 0) return { look: `/api/v1/items/${items[0].itemId}` };
    if (isLate && isOk(answer)) return { done: null }; // a request creates all items, or none
    if (isLate && status === 404) return { again: {} };
    if (status === 409 && body?.existing) return resolveConflict(change, answer);
    if (status === 404 && items.some(hasPlace)) return { again: { body: { items: items.map(withoutPlaces) } } };
    return withoutQuestion(change, answer);
  },
  retarget: (change, { from, to }) => ({
    body: { items: itemsOf(change).map((each) => (each.locationId === from ? { ...each, locationId: to } : each)) },
  }),
};

/** An adjustment of a new item; if the item is not sent yet, it changes the draft. @type {Kind} */
const count = {
  isIndependent: true,
  join: (before, draft) => {
    const delta = draft.body?.delta;
    const last = before.at(-1);
    const found = findAddChange(before, draft);
    if (found) {
      const more = (/** @type {NewItem} */ each) => ({ ...each, quantity: each.quantity + delta });
      return replaceItems(before, found, itemsOf(found).map((each) => (hasSameId(draft)(each) ? more(each) : each)));
    }
    if (last?.kind !== draft.kind || last.seen?.itemId !== draft.seen?.itemId) return undefined;
    const sum = last.body?.delta + delta;
    return [...before.slice(0, -1), ...(sum ? [{ ...last, body: { delta: sum } }] : [])];
  },
  verdict: withoutQuestion,
};

/** The removal of a new item; if it may have been sent, it is deleted afterwards. @type {Kind} */
const remove = {
  ...deletion,
  isIndependent: true,
  join: (before, draft) => {
    const found = findAddChange(before, draft);
    if (!found || found.isRepeated) return undefined;
    return replaceItems(before, found, itemsOf(found).filter((each) => !hasSameId(draft)(each)));
  },
};

/** A new place; pending items get the server's id of it. @type {Kind} */
const place = {
  isIndependent: true,
  verdict: (change, answer) => {
    const { status, body, isLate } = answer;
    if (isLate && status === 0) return { look: "/api/v1/locations" };
    if (isLate && isOk(answer)) return { again: {} }; // the refusal names the existing place
    const made = isOk(answer) ? body : status === 409 && body?.existing;
    if (made) return { drop: true, moveTo: { from: change.seen?.locationId, to: made.locationId } };
    return withoutQuestion(change, answer);
  },
};

registerKinds({ "stock.add": add, "stock.count": count, "stock.remove": remove, "stock.place": place });

/** Report a refused change instead of asking, because the row would wait for the answer.
 * @param {Change} change @param {Answer} answer @returns {Verdict} */
function withoutQuestion(change, answer) {
  const verdict = judgeByStatus(change, answer);
  return "ask" in verdict ? { gone: verdict.ask } : verdict;
}

/**
 * Resolve a duplicate: it is the same item, or one with the same barcode, which is counted up.
 * @param {Change} change @param {Answer} answer @returns {Verdict}
 */
function resolveConflict(change, answer) {
  const { itemId } = answer.body.existing;
  const items = itemsOf(change);
  const others = items.filter((each) => each.itemId !== itemId);
  if (others.length < items.length) return others.length ? { again: { body: { items: others } } } : { done: null };
  if (items.length > 1) return withoutQuestion(change, answer);
  const adjusting = { kind: "item.adjust", about: itemId, path: `/api/v1/items/${itemId}/adjust` };
  return { again: { ...adjusting, body: { delta: items[0].quantity } } };
}

/** @param {Pick<Change, "body">} change @returns {NewItem[]} */
function itemsOf({ body }) {
  return body?.items ?? [];
}

/** @param {Change[]} before @param {OwnDraft} draft */
function findAddChange(before, draft) {
  return before.find(({ kind, body }) => kind === "stock.add" && body?.items.some(hasSameId(draft)));
}

/** @param {OwnDraft} draft @returns {(item: NewItem) => boolean} */
function hasSameId({ seen }) {
  return ({ itemId }) => itemId === seen?.itemId;
}

/** @param {Change} change @param {NewItem[]} items */
function withItems(change, items) {
  return { ...change, label: labelOf(items), body: { items } };
}

/** @param {Change[]} before @param {Change} old @param {NewItem[]} items */
function replaceItems(before, old, items) {
  return before.flatMap((each) => (each !== old ? [each] : items.length ? [withItems(old, items)] : []));
}

/** @param {NewItem} item */
function hasPlace({ locationId, preferredStoreId }) {
  return Boolean(locationId ?? preferredStoreId);
}

/** Drop a deleted place or store and keep the item. @param {NewItem} item */
function withoutPlaces({ locationId, preferredStoreId, ...item }) {
  return item;
}
