// The queue for pages: changes and cached values of the page's user and family. A change in any tab dispatches
// `homeshelf:queue` on the document.
import { getCurrentUser } from "./current-user.js";
import { store } from "./store.js";
import { addDrafts } from "./journal.js";
import { refreshValue } from "./refresh.js";
import { queue } from "./sender.js";
import { ensureCurrentUser, scheduleFlush, registerBackgroundSync } from "./scheduler.js";
import { CHANGED, listen, broadcast } from "./broadcast.js";

/** @typedef {import("./change.js").Change} Change */
const { member: who = "", family = "" } = document.body.dataset;

listen((detail) => document.dispatchEvent(new CustomEvent(CHANGED, { detail })));

/**
 * Store changes, then send them. They survive the page from the call on. Anonymous changes have `who` and `family` "".
 * @param {(import("./change.js").Draft & {who?: string, family?: string})[]} drafts
 */
export async function add(...drafts) {
  await addDrafts(drafts.map((draft) => ({ who, family, ...draft })));
  scheduleFlush();
  registerBackgroundSync();
}

/** Return unsent changes in order, including those with questions. @param {string} [whose] @param {string} [where] */
export function listWaiting(whose = who, where = family) {
  return queue.waiting(whose, where);
}

/** Return lost changes that are not dismissed. @param {string} [whose] @param {string} [where] */
export function listLost(whose = who, where = family) {
  return queue.lost(whose, where);
}

/** @param {Change} change a lost change that was reported */
export function dismiss(change) {
  return queue.dismiss(change);
}

/** @param {Change} change as it was asked about @param {import("./change.js").Verdict} verdict of the user */
export async function answerQuestion(change, verdict) {
  await queue.answer(change, verdict);
  scheduleFlush();
}

/** Withdraw an unsent change. @param {Change} change @returns {Promise<boolean>} whether it was still unsent */
export function withdraw(change) {
  return queue.withdraw(change);
}

/** Return a cached value, or null. @param {string} name @returns {Promise<any>} */
export async function readCache(name) {
  return (await store.thing([who, family, name])).value;
}

/**
 * Refresh a cached value from the server.
 * @template T
 * @param {string} name
 * @param {() => Promise<T | undefined>} read undefined without a response
 * @param {(value: any, fresh: T) => any} [merge]
 * @returns {Promise<boolean>} whether it was stored
 */
export async function refreshCache(name, read, merge) {
  await ensureCurrentUser();
  const readHere = async () => {
    const fresh = /** @type {any} */ (await read());
    const isTheirs = (fresh?.memberId ?? who) === who && (!who || (await getCurrentUser()) === who);
    return isTheirs ? fresh : undefined;
  };
  const isKept = await refreshValue(store, [who, family, name], readHere, merge);
  if (isKept) broadcast(family);
  return isKept;
}
