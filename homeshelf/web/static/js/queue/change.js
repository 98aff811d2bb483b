/**
 * One request that waits to be sent.
 * @typedef {object} Change
 * @property {number} n its place in the order, given by the store
 * @property {string} key its Idempotency-Key: another one whenever what is asked for changes
 * @property {string} who @property {string} family both "" where nobody has to be signed in
 * @property {string} kind
 * @property {string} about the id of the record: changes of one stay in order
 * @property {string} label what to call it
 * @property {string} method @property {string} path @property {Record<string, any> | null} body
 * @property {Record<string, any> | null} seen the record as the person saw it
 * @property {string | null} sent the server's time when it was first tried
 * @property {boolean} [isRepeated] whether a request of it was not answered: it may arrive at any time
 * @property {Question | null} question what a person has to decide first
 * @property {Question | null} over why nothing came of it: to be said, then to be dismissed
 *
 * @typedef {{code: string, [more: string]: any}} Question
 * @typedef {Pick<Change, "kind" | "about" | "label" | "method" | "path" | "body" | "seen">} Draft
 * @typedef {Draft & Pick<Change, "who" | "family">} OwnDraft
 * @typedef {(OwnDraft & Partial<Change>) & {note?: string}} Noted under which name: what was noted counts once,
 *   whoever takes it in
 *
 * @typedef {{status: number, body: any, retryAfter?: number, isLate?: boolean}} Answer
 *   status 0: nothing was heard; late: it was sent so long ago that its key may be forgotten
 *
 * What becomes of a change, and (`now`) what the server has instead of what the phone kept.
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
 * @property {(before: Change[], draft: OwnDraft) => (Change | OwnDraft)[] | undefined} [join] what a new one and those
 *   of its record that wait before it come to together; undefined where they stay apart
 * @property {boolean} [omitsCookies] whether it is sent without cookies
 * @property {boolean} [repeats] whether doing it twice is doing it once
 * @property {boolean} [isApart] whether those after it can be done without it
 * @property {string} [keeps] the name of the kept thing that it changes
 * @property {(value: any, change: Change, record: any) => any} [settled] that thing, now that the server told this of
 *   the record (null: it is gone)
 * @property {(change: Change, record: any) => Partial<Change>} [moved] the same about another record
 * @property {(change: Change) => Draft} [undone] what takes it back, should it have been done
 * @typedef {Record<string, Kind>} Kinds
 */
import { newUuid } from "../uuid.js";

/** Asked where a change was sent so long ago that its key may be forgotten. */
export const LATE = "late";

/** A change that nobody has tried to send; without a place it is the last. @param {Draft} draft */
export function createChange(draft) {
  return /** @type {Change} */ ({ ...draft, key: newUuid(), sent: null, question: null, over: null });
}

/** Changes of one record by one person. @param {Pick<Change, "who" | "family" | "about">} change */
export function threadOf({ who, family, about }) {
  return [who, family, about].join(" ");
}
