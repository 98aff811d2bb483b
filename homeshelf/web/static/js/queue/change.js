/**
 * A request that waits to be sent.
 * @typedef {object} Change
 * @property {number} n its position, assigned by the store
 * @property {string} key its Idempotency-Key, renewed when the request changes
 * @property {string} who @property {string} family both "" for anonymous changes
 * @property {string} kind
 * @property {string} about the id of the record, whose changes stay in order
 * @property {string} label the name shown to the user
 * @property {string} method @property {string} path @property {Record<string, any> | null} body
 * @property {Record<string, any> | null} seen the record as the user saw it
 * @property {string | null} sent the server's time of the first attempt
 * @property {boolean} [isRepeated] whether an earlier request got no response and may still arrive
 * @property {Question | null} question what the user has to decide first
 * @property {Question | null} over why it was lost, until the user was told
 *
 * @typedef {{code: string, [more: string]: any}} Question
 * @typedef {Pick<Change, "kind" | "about" | "label" | "method" | "path" | "body" | "seen">} Draft
 * @typedef {Draft & Pick<Change, "who" | "family">} OwnDraft
 * @typedef {(OwnDraft & Partial<Change>) & {note?: string}} Noted
 *   note: the name of its journal entry, which is applied once
 *
 * @typedef {{status: number, body: any, retryAfter?: number, isLate?: boolean}} Answer
 *   status 0: no response; isLate: sent so long ago that the server may have forgotten its key
 *
 * The result of a change, and (`now`) the server's record.
 * @typedef {{now?: any}} Seen
 * @typedef {{done: any}
 *   | ({again: Partial<Draft>, moveTo?: any} & Seen)
 *   | ({ask: Question} & Seen)
 *   | ({gone: Question} & Seen)
 *   | {drop: true, moveTo?: any}
 *   | {look: string}
 *   | {wait: true}} Verdict
 *
 * @typedef {object} Kind
 * @property {(change: Change, answer: Answer) => Verdict} verdict
 * @property {(before: Change[], draft: OwnDraft) => (Change | OwnDraft)[] | undefined} [join] merge a new change with
 * the unsent ones of its record; undefined keeps them separate
 * @property {boolean} [omitsCookies] whether it is sent without cookies
 * @property {boolean} [isIdempotent] whether it is idempotent
 * @property {boolean} [isIndependent] whether later changes of its record do not depend on it
 * @property {string} [cacheName] the name of the cached value that it changes
 * @property {(value: any, change: Change, record: any) => any} [updateCache] the cached value with the server's record
 * (null: deleted)
 * @property {(change: Change, record: any) => Partial<Change>} [retarget] the change moved to another record
 * @property {(change: Change) => Draft} [createUndo] the change that undoes it
 * @typedef {Record<string, Kind>} Kinds
 */
import { newUuid } from "../uuid.js";

/** Code of the question whether to repeat a change whose key the server may have forgotten. */
export const LATE = "late";

/** Create an unsent change. Without `n` it goes last. @param {Draft} draft */
export function createChange(draft) {
  return /** @type {Change} */ ({ ...draft, key: newUuid(), sent: null, question: null, over: null });
}

/**
 * Return the key of a thread: the changes of one record by one user.
 * @param {Pick<Change, "who" | "family" | "about">} change
 */
export function threadOf({ who, family, about }) {
  return [who, family, about].join(" ");
}
