// How what was counted in a cupboard meets the server: see docs/offline.md. The queue loads these where some wait.
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

/** Things under ids of this phone: those that are there already were made by this very request. @type {Kind} */
const add = {
  isIndependent: true,
  join: (before, draft) => {
    const last = before.at(-1);
    if (last?.kind !== draft.kind) return undefined;
    const items = [...itemsOf(last), ...itemsOf(draft)];
    const isRoom = items.length <= MOST && !items.some(({ barcodes }) => barcodes); // what one answer is about
    return isRoom ? [...before.slice(0, -1), holding(last, items)] : undefined;
  },
  verdict: (change, answer) => {
    const { status, body, isLate } = answer;
    const items = itemsOf(change);
    if (isLate && status === 0) return { look: `/api/v1/items/${items[0].itemId}` };
    if (isLate && isOk(answer)) return { done: null }; // all of a request are made, or none
    if (isLate && status === 404) return { again: {} };
    if (status === 409 && body?.existing) return met(change, answer);
    if (status === 404 && items.some(isPlaced)) return { again: { body: { items: items.map(unplaced) } } };
    return quietly(change, answer);
  },
  retarget: (change, { from, to }) => ({
    body: { items: itemsOf(change).map((each) => (each.locationId === from ? { ...each, locationId: to } : each)) },
  }),
};

/** More or less of a thing that may not have been sent: then it is part of that. @type {Kind} */
const count = {
  isIndependent: true,
  join: (before, draft) => {
    const delta = draft.body?.delta;
    const last = before.at(-1);
    const found = holder(before, draft);
    if (found) {
      const more = (/** @type {NewItem} */ each) => ({ ...each, quantity: each.quantity + delta });
      return replaced(before, found, itemsOf(found).map((each) => (isOf(draft)(each) ? more(each) : each)));
    }
    if (last?.kind !== draft.kind || last.seen?.itemId !== draft.seen?.itemId) return undefined;
    const sum = last.body?.delta + delta;
    return [...before.slice(0, -1), ...(sum ? [{ ...last, body: { delta: sum } }] : [])];
  },
  verdict: quietly,
};

/** Undone. What may be on its way is deleted after it has arrived. @type {Kind} */
const remove = {
  ...deletion,
  isIndependent: true,
  join: (before, draft) => {
    const found = holder(before, draft);
    if (!found || found.isRepeated) return undefined;
    return replaced(before, found, itemsOf(found).filter((each) => !isOf(draft)(each)));
  },
};

/** A place has the server's id from here on, whoever made it. @type {Kind} */
const place = {
  isIndependent: true,
  verdict: (change, answer) => {
    const { status, body, isLate } = answer;
    if (isLate && status === 0) return { look: "/api/v1/locations" };
    if (isLate && isOk(answer)) return { again: {} }; // one of that name is found by its refusal
    const made = isOk(answer) ? body : status === 409 && body?.existing;
    if (made) return { drop: true, moveTo: { from: change.seen?.locationId, to: made.locationId } };
    return quietly(change, answer);
  },
};

registerKinds({ "stock.add": add, "stock.count": count, "stock.remove": remove, "stock.place": place });

/** Nobody is asked, so that nothing waits behind a question: what came to nothing is said.
 * @param {Change} change @param {Answer} answer @returns {Verdict} */
function quietly(change, answer) {
  const verdict = judgeByStatus(change, answer);
  return "ask" in verdict ? { gone: verdict.ask } : verdict;
}

/**
 * Something stands where one of them should: it is itself, or has its barcode and is counted up.
 * @param {Change} change @param {Answer} answer @returns {Verdict}
 */
function met(change, answer) {
  const { itemId } = answer.body.existing;
  const items = itemsOf(change);
  const others = items.filter((each) => each.itemId !== itemId);
  if (others.length < items.length) return others.length ? { again: { body: { items: others } } } : { done: null };
  if (items.length > 1) return quietly(change, answer);
  const adjusting = { kind: "item.adjust", about: itemId, path: `/api/v1/items/${itemId}/adjust` };
  return { again: { ...adjusting, body: { delta: items[0].quantity } } };
}

/** @param {Pick<Change, "body">} change @returns {NewItem[]} */
function itemsOf({ body }) {
  return body?.items ?? [];
}

/** @param {Change[]} before @param {OwnDraft} draft */
function holder(before, draft) {
  return before.find(({ kind, body }) => kind === "stock.add" && body?.items.some(isOf(draft)));
}

/** @param {OwnDraft} draft @returns {(item: NewItem) => boolean} */
function isOf({ seen }) {
  return ({ itemId }) => itemId === seen?.itemId;
}

/** @param {Change} change @param {NewItem[]} items */
function holding(change, items) {
  return { ...change, label: labelOf(items), body: { items } };
}

/** @param {Change[]} before @param {Change} old @param {NewItem[]} items */
function replaced(before, old, items) {
  return before.flatMap((each) => (each !== old ? [each] : items.length ? [holding(old, items)] : []));
}

/** @param {NewItem} item */
function isPlaced({ locationId, preferredStoreId }) {
  return Boolean(locationId ?? preferredStoreId);
}

/** A place or a store that is gone: the thing is there all the same. @param {NewItem} item */
function unplaced({ locationId, preferredStoreId, ...item }) {
  return item;
}
