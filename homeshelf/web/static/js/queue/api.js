// What pages use: what waits, and what is kept, of the person and the family of the page. Where either
// changes, in whatever page, `homeshelf:queue` is told on the document.
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
 * They are kept when this is done, whatever becomes of the page meanwhile, and sent as soon as can be. Where nobody
 * has to be signed in, `who` and `family` are "".
 * @param {(import("./change.js").Draft & {who?: string, family?: string})[]} drafts
 */
export async function add(...drafts) {
  await addDrafts(drafts.map((draft) => ({ who, family, ...draft })));
  scheduleFlush();
  registerBackgroundSync();
}

/** In order, with those that wait for a person. @param {string} [whose] @param {string} [where] */
export function listWaiting(whose = who, where = family) {
  return queue.waiting(whose, where);
}

/** What nothing came of, until it is dismissed. @param {string} [whose] @param {string} [where] */
export function listLost(whose = who, where = family) {
  return queue.lost(whose, where);
}

/** @param {Change} change that was lost, and said */
export function dismiss(change) {
  return queue.dismiss(change);
}

/** @param {Change} change as it was asked about @param {import("./change.js").Verdict} verdict of the person */
export async function answerQuestion(change, verdict) {
  await queue.answer(change, verdict);
  scheduleFlush();
}

/** Take back what was not sent. @param {Change} change @returns {Promise<boolean>} whether that was in time */
export function withdraw(change) {
  return queue.withdraw(change);
}

/** What the server told last, null where nothing is kept. @param {string} name @returns {Promise<any>} */
export async function readCache(name) {
  return (await store.thing([who, family, name])).value;
}

/**
 * Read anew from the server what is kept.
 * @template T
 * @param {string} name
 * @param {() => Promise<T | undefined>} read undefined where nothing was heard
 * @param {(value: any, fresh: T) => any} [merge]
 * @returns {Promise<boolean>} whether it is kept
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
