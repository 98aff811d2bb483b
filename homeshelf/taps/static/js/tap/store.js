// Stores taps on the phone until they are answered. The queue takes over unanswered taps, and the first page or
// worker that is online sends them. The file is loaded after the page, so that the page appears at once.
import { store } from "../queue/store.js";
import "../queue/all-kinds.js";
import { kinds } from "../queue/kinds.js";
import { readJournal } from "../queue/journal.js";
import { JOURNALED, appendNames, addJournaled } from "../queue/change-list.js";
import { add, answerQuestion, dismiss, listLost, listWaiting, withdraw } from "../queue/api.js";
import { scheduleFlush, registerBackgroundSync } from "../queue/scheduler.js";
import { broadcast } from "../queue/broadcast.js";
import { refreshCount } from "./refresh.js";
import { changeOf, draftOf, removeNotes } from "./notes.js";
import { MOST, newTap } from "./taps.js";
import { saveVisit } from "./visit.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("./taps.js").Tap} Tap
 */
const KIND = "tap";

/** The stored taps of a page's tag. */
export class TapStore {
  #turn = 0;

  /** @param {import("../tap.js").TapPage} page */
  constructor(page) {
    this.page = page;
  }

  async open() {
    document.addEventListener("homeshelf:queue", () => this.#read());
    await this.#read();
    const own = this.#own;
    if (this.page.held.length || readJournal().some(({ key }) => !own.has(key))) scheduleFlush();
  }

  /** Queue a tap behind the pending ones. @param {number} delta */
  press(delta) {
    return add(draftOf(this.page, delta, false));
  }

  /** Store all unanswered taps under their keys, so that none is applied twice. */
  async keep() {
    const { page } = this;
    /** @type {Tap[][]} */
    let [taps, fresh] = [[], []];
    /** @type {Change[]} */
    let put = [];
    const saving = store.update((changes, names) => {
      taps = page.isStopped ? [] : page.sender.all;
      fresh = taps.filter(({ isKept }) => !isKept);
      for (const tap of fresh) Object.assign(tap, { isOpen: false, isKept: true });
      put = taps.map((tap) => ({ ...changeOf(page, tap), note: tap.key }));
      return addJournaled(changes, names, put, kinds);
    }, JOURNALED);
    await saving.catch((error) => {
      for (const tap of fresh) tap.isKept = false;
      throw error;
    });
    removeNotes(taps.filter(({ isTried }, i) => !isTried || put[i].sent));
  }

  /**
   * Combine taps into as few as possible, except those that the queue has sent.
   * @param {Tap[]} pressed @param {boolean} isSentNext whether the result is sent at once
   */
  async join(pressed, isSentNext) {
    const { joined, isWhole } = await store.update((changes, names) => {
      const keys = pressed.map(({ key }) => key);
      const left = changes.filter(({ key, sent }) => keys.includes(key) && sent === null).map(({ key }) => key);
      const ours = pressed.filter(({ key, isKept }) => left.includes(key) || !(isKept || names?.includes(key)));
      const joined = combine(ours).map((tap) => ({ ...tap, isKept: true }));
      const others = changes.filter(({ key }) => !left.includes(key));
      const made = joined.map((tap) => changeOf(this.page, { ...tap, isTried: isSentNext }));
      const value = appendNames(names, [...keys, ...made.map(({ key }) => key)]);
      return { changes: [...others, ...made], value, result: { joined, isWhole: ours.length === pressed.length } };
    }, JOURNALED);
    removeNotes(pressed);
    if (!isWhole) refreshCount(this.page, "sent");
    return joined;
  }

  /** Hand all taps over to the queue. @returns {Promise<boolean>} whether it worked */
  async hold() {
    const { sender } = this.page;
    try {
      await this.keep();
    } catch {
      return false;
    }
    sender.taps = sender.taps.filter(({ isKept }) => !isKept);
    sender.pressed = sender.pressed.filter(({ isKept }) => !isKept);
    saveVisit({ undo: null, done: true });
    broadcast("");
    scheduleFlush();
    registerBackgroundSync();
    return true;
  }

  /** Store the taps before the user leaves the page. */
  leave() {
    this.keep().catch(() => {});
    registerBackgroundSync();
  }

  /** Delete stored taps, including those that another page took from a note. @param {Tap[]} taps */
  async drop(taps) {
    const keys = taps.map(({ key }) => key);
    for (const tap of taps) tap.isKept = false;
    await store.update((changes, names) => {
      const value = names?.filter((/** @type {string} */ name) => !keys.includes(name));
      return { changes: changes.filter(({ key }) => !keys.includes(key)), value };
    }, JOURNALED);
  }

  /** The undo action for the last unsent tap. @returns {(() => void) | null} */
  get withdrawLast() {
    const last = this.page.held.at(-1);
    return last?.sent === null ? () => void withdraw(last) : null;
  }

  async #read() {
    const turn = ++this.#turn;
    const [held, over] = (await Promise.all([listWaiting("", ""), listLost("", "")])).map((all) =>
      all.filter(({ kind, about }) => kind === KIND && about === this.page.tag),
    );
    const own = this.#own;
    if (turn === this.#turn) this.#update(held.filter(({ key }) => !own.has(key)), over);
  }

  /** @param {Change[]} held @param {Change[]} over */
  #update(held, over) {
    const { page } = this;
    const isSent = page.held.length > 0 && !held.length;
    const late = held.find(({ question }) => question);
    page.held = held;
    for (const change of over) dismiss(change);
    if (over.some((change) => change.over?.code === "ended")) return page.end();
    if (over.length) page.say("failed");
    else if (isSent) refreshCount(this.page, "sent");
    else if (late) this.#askAgain(late);
    else if (held.length) {
      page.say("kept");
      page.showUndo();
    }
    page.show();
  }

  /** Ask whether to repeat a tap of yesterday, whose result is unknown. @param {Change} late */
  #askAgain(late) {
    const body = /** @type {Tap} */ (late.body);
    this.page.say("before");
    this.page.showRetry([body], () => answerQuestion(late, { again: {} }));
  }

  /** The keys of the taps that this page sends. @returns {Set<string | undefined>} */
  get #own() {
    return new Set(this.page.sender.all.map(({ key }) => key));
  }
}

/** Combine taps into as few as the limit allows. @param {Tap[]} pressed */
function combine(pressed) {
  const taps = [];
  for (let left = pressed.reduce((sum, { delta }) => sum + delta, 0); left; left -= taps[taps.length - 1].delta)
    taps.push(newTap(Math.max(-MOST, Math.min(MOST, left))));
  return taps;
}
