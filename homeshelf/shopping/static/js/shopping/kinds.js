// Rules for conflicts between queued list changes and the server: see docs/offline.md.
import { LATE } from "../queue/change.js";
import { registerKinds } from "../queue/kinds.js";
import { isOk, lastWriteWins, judgeByStatus, deletion } from "../queue/verdicts.js";
import { rebaseChange, redirectChange, pickSeen } from "./rebase.js";
import { pathOf, draftRemoval } from "./changes.js";
import { updateOrder, updateEntry, removeUsual } from "./cached-list.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Answer} Answer
 * @typedef {import("../queue/change.js").Kind} Kind
 * @typedef {import("../queue/change.js").Verdict} Verdict
 */

/** The last tick wins, but unticking an entry that was put away needs confirmation. @type {Kind} */
const tick = entryKind({
  join: (before, draft) => {
    const last = before.findLast(({ kind }) => ["entry.tick", "entry.away", "entry.back"].includes(kind));
    if (last?.kind !== draft.kind) return undefined;
    const one = { ...last, seen: draft.seen, body: { ...last.body, status: draft.body?.status } };
    return before.map((each) => (each === last ? one : each));
  },
  verdict: (change, answer) => {
    const { status } = /** @type {{status: string}} */ (change.body);
    if (answer.status === 403 && answer.body?.code === "forbidden") {
      return { gone: { code: "not_ticked", detail: answer.body.detail } };
    }
    return onEntry(change, answer, (current) => {
      if (current.status === status) return { done: current };
      const isNews = current.putAwayAt && !change.seen?.putAwayAt;
      if (status === "pending" && isNews) return { ask: { code: "putAway", current }, now: current };
      return rebaseChange(change, current);
    });
  },
});

/** Merge changes of different fields, and ask about fields that both changed. @type {Kind} */
const edit = entryKind({
  join: (before, draft) => {
    const last = before.findLast(({ kind }) => ["entry.edit", "entry.add"].includes(kind));
    const { version, ...fields } = draft.body ?? {};
    const isNew = last?.kind === "entry.add";
    // In an addition, what is left out is taken from the item.
    if (!last || (isNew && last.body?.itemId && Object.values(fields).includes(null))) return undefined;
    const seen = isNew ? last.seen : { ...draft.seen, ...last.seen };
    const one = { ...last, label: fields.name ?? last.label, body: { ...last.body, ...fields }, seen };
    return before.map((each) => (each === last ? one : each));
  },
  verdict: (change, answer) => {
    const { version, storeId, ...others } = change.body ?? {};
    if (answer.status === 404 && storeId) return withoutStore(others, version);
    return onEntry(change, answer, (current) => {
      const { version, ...fields } = change.body ?? {};
      const mine = Object.keys(fields).filter((name) => !isSame(current[name], fields[name]));
      const both = mine.filter((name) => !isSame(current[name], change.seen?.[name]));
      if (!mine.length) return { done: current };
      if (both.length) return { ask: { code: "both", fields: both, current }, now: current };
      return rebaseChange(change, current);
    });
  },
  retarget: (change, record) => ({ ...redirectChange(change, record), seen: pickSeen(change, record) }),
});

/** The id of the change on the list means that the server has added it. @type {Kind} */
const add = entryKind({
  verdict: (change, answer) => {
    const { status, body, isLate } = answer;
    const { itemId, storeId, ...free } = change.body ?? {};
    if (isLate && status === 0) return { look: pathOf(change.about) };
    if (isLate && status === 404) return { ask: { code: LATE } };
    const existing = status === 409 && body?.existing;
    if (existing?.shoppingItemId === change.about) return { done: existing };
    if (existing) return { ask: { code: "there", existing }, now: existing };
    if (status === 404 && storeId) return { again: { body: { ...free, ...(itemId && { itemId }) } } };
    if (status === 404 && itemId) return { again: { body: { name: change.label, ...free } } };
    if (status === 404) return { gone: { code: "removed" } };
    return judgeByStatus(change, answer);
  },
  createUndo: ({ about, label }) => draftRemoval({ shoppingItemId: about, name: label }),
});

/** @type {Kind} */
const remove = entryKind({
  ...deletion,
  join: (before, draft) => {
    if (before[0]?.kind !== "entry.add") return undefined;
    return before[0].isRepeated ? [draft] : []; // the request may still arrive
  },
});

/** An entry that another member put away is not counted twice, and the person is told. @type {Kind} */
const away = entryKind({
  isIndependent: true,
  verdict: (change, answer) =>
    onEntry(change, answer, (current) => {
      if (current.putAwayAt) return answer.isLate ? { done: current } : { gone: { code: "alreadyAway" }, now: current };
      if (current.status !== "purchased") return { ask: { code: "notBought", current }, now: current };
      return rebaseChange(change, current);
    }),
});

/** @type {Kind} */
const back = entryKind({
  isIdempotent: true,
  join: (before) => {
    const last = before.findLast(({ kind }) => kind === "entry.away");
    return last && before.filter((each) => each !== last);
  },
  verdict: (change, answer) =>
    onEntry(change, answer, (current) => (current.putAwayAt ? rebaseChange(change, current) : { done: current })),
});

/** @type {Kind} */
const order = {
  ...lastWriteWins,
  cacheName: "list",
  updateCache: (list, change, answer) => (answer ? { ...list, stores: updateOrder(list.stores, change) } : list),
};

/** @type {Kind} */
const forget = {
  ...deletion,
  cacheName: "list",
  updateCache: (list, { about }) => ({ ...list, usual: removeUsual(list.usual, about) }),
};

/** @type {import("../queue/change.js").Kinds} */
export const kinds = {
  "entry.add": add,
  "entry.tick": tick,
  "entry.edit": edit,
  "entry.remove": remove,
  "entry.away": away,
  "entry.back": back,
  "list.order": order,
  "usual.forget": forget,
};
registerKinds(kinds);

/** @param {Kind} kind @returns {Kind} */
function entryKind(kind) {
  return { cacheName: "list", updateCache: updateEntry, retarget: redirectChange, ...kind };
}

/**
 * Send the other fields again: either the store or the entry does not exist.
 * @param {Record<string, any>} fields @param {number} version @returns {Verdict}
 */
function withoutStore(fields, version) {
  return Object.keys(fields).length ? { again: { body: { ...fields, version } } } : { gone: { code: "deleted" } };
}

/**
 * @param {Change} change @param {Answer} answer
 * @param {(current: any) => Verdict} met called if another client has changed it
 * @returns {Verdict}
 */
function onEntry(change, answer, met) {
  const { status, body, isLate } = answer;
  if (isLate && status === 0) return { look: pathOf(change.about) };
  if (isLate && isOk(answer)) return late(change, body, met(body));
  if (isOk(answer)) return { done: body?.shoppingItem ?? body };
  if (status === 409 && body?.current) return met(body.current);
  return judgeByStatus(change, answer);
}

/**
 * Ask the person if the record was changed since, as the result of the request is unknown.
 * @param {Change} change @param {any} current @param {Verdict} verdict @returns {Verdict}
 */
function late(change, current, verdict) {
  if (!("again" in verdict) || current.version === change.body?.version) return verdict;
  return { ask: { code: LATE, current }, now: current };
}

/** @param {any} a @param {any} b */
function isSame(a, b) {
  return (a ?? null) === (b ?? null);
}
