// The offline queue: sends each change once, and changes of one record in order. See docs/offline.md. Its
// dependencies are parameters, so that it runs in a page, the service worker and Node.js.
import { JOURNALED, applyVerdict, takeNext, addJournaled } from "./change-list.js";
import { threadOf } from "./change.js";
import { isConclusive, judgeByStatus } from "./verdicts.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Noted} Noted
 * @typedef {import("./change.js").Answer} Answer
 * @typedef {import("./change.js").Kinds} Kinds
 * @typedef {import("./change.js").Verdict} Verdict
 * @typedef {[who: string, family: string, name: string]} ThingKey
 * @typedef {Pick<Change, "kind" | "who" | "family" | "method" | "path" | "body" | "key">} Sent
 */

/** @template T
 * @typedef {(changes: Change[], value: any) => {changes: Change[], value?: any, result?: T}} Rule
 */

/**
 * @typedef {object} Store
 * @property {() => Promise<Change[]>} changes in order
 * @property {<T>(rule: Rule<T>, thing?: ThingKey) => Promise<T>} update update the changes and one cached value in
 * one transaction
 *
 * @typedef {object} Outside
 * @property {Store} store
 * @property {Kinds} kinds
 * @property {(change: Sent) => Promise<Answer>} send
 * @property {() => Promise<string | null>} now the server's time, null without a response
 * @property {(family: string) => void} [tell] called on each change
 */
export class Queue {
  /** @param {Outside} outside */
  constructor({ store, kinds, send, now, tell = () => {} }) {
    this.store = store;
    this.kinds = kinds;
    this.send = send;
    this.now = now;
    this.tell = tell;
  }

  /** Add all changes or none. @param {Noted[]} drafts */
  async add(...drafts) {
    await this.store.update((changes, names) => addJournaled(changes, names, drafts, this.kinds), JOURNALED);
    for (const family of new Set(drafts.map((draft) => draft.family))) this.tell(family);
  }

  /**
   * Return unsent changes in order, including those with questions.
   * @param {string} who @param {string} family
   */
  async waiting(who, family) {
    return (await this.#of(who, family)).filter(({ over }) => !over);
  }

  /** Return lost changes that are not dismissed. @param {string} who @param {string} family */
  async lost(who, family) {
    return (await this.#of(who, family)).filter(({ over }) => over);
  }

  /** @param {Change} change a lost change that was reported */
  async dismiss({ n, family }) {
    await this.store.update((changes) => ({ changes: changes.filter((each) => each.n !== n || !each.over) }));
    this.tell(family);
  }

  /** Withdraw an unsent change. @param {Change} change @returns {Promise<boolean>} whether it was still unsent */
  async withdraw({ n, family }) {
    const isInTime = await this.store.update((changes) => {
      const left = changes.filter((each) => each.n !== n || each.sent !== null);
      return { changes: left, result: left.length < changes.length };
    });
    this.tell(family);
    return isInTime;
  }

  /** Apply the user's decision. @param {Change} change as it was shown to them @param {Verdict} verdict */
  async answer(change, verdict) {
    await this.#settle(change, verdict);
  }

  /**
   * Send the user's changes in order until none is left or no response comes.
   * @param {string} who
   * @returns {Promise<{isDone: boolean, retryAfter?: number}>}
   */
  async flush(who) {
    const held = new Set();
    let isDone = true;
    for (;;) {
      const left = takeNext(await this.store.changes(), who, "", held, this.kinds).result;
      if (!left.change) return { isDone };
      const at = await this.now();
      if (at === null) return { isDone: false };
      const { change, isLate } = await this.store.update((changes) => takeNext(changes, who, at, held, this.kinds));
      if (!change) return { isDone };
      const { verdict, answer } = await this.#ask(change, isLate);
      if (!isConclusive(answer.status)) return { isDone: false, retryAfter: answer.retryAfter };
      if ("wait" in verdict) held.add(change.who || threadOf(change)); // until the same user is back
      else if (answer.status !== 500) await this.#settle(change, verdict);
      else {
        held.add(threadOf(change)); // the server failed on this record only
        isDone = false;
      }
    }
  }

  /**
   * Send a change; one sent too long ago is looked up instead.
   * @param {Change} change @param {boolean} isLate
   */
  async #ask(change, isLate) {
    const verdictOn = this.kinds[change.kind]?.verdict ?? judgeByStatus;
    if (!isLate) {
      const answer = await this.send(change);
      return { answer, verdict: verdictOn(change, answer) };
    }
    /** @type {Answer} */
    const unasked = { status: 200, body: null };
    const verdict = verdictOn(change, { status: 0, body: null, isLate });
    if (!("look" in verdict)) return { answer: unasked, verdict };
    const answer = await this.send({ ...change, method: "GET", path: verdict.look, body: null });
    return { answer, verdict: verdictOn(change, { ...answer, isLate }) };
  }

  /** @param {Change} change @param {Verdict} verdict */
  async #settle(change, verdict) {
    const kind = this.kinds[change.kind];
    const { who, family } = change;
    const record = "done" in verdict ? verdict.done : "now" in verdict ? verdict.now : undefined;
    const isTold = record !== undefined && kind?.updateCache;
    await this.store.update(
      (changes, value) => {
        const left = applyVerdict(changes, change, verdict, this.kinds);
        return isTold && value && left !== changes
          ? { changes: left, value: kind.updateCache?.(value, change, record) }
          : { changes: left };
      },
      isTold ? [who, family, kind.cacheName ?? ""] : undefined,
    );
    this.tell(family);
  }

  /** @param {string} who @param {string} family */
  async #of(who, family) {
    return (await this.store.changes()).filter((change) => change.who === who && change.family === family);
  }
}
