// Keeps taps on the phone until they are answered. Those that nothing was heard of are the queue's, and
// whichever page or worker has a signal first sends them. It is fetched when somebody has come, so that the
// page itself is there at once.
import { store } from "../queue/store.js";
import "../queue/all-kinds.js";
import { kinds } from "../queue/kinds.js";
import { readJournal } from "../queue/journal.js";
import { JOURNALED, appendNames, addJournaled } from "../queue/change-list.js";
import { add, answerQuestion, dismiss, listLost, listWaiting, withdraw } from "../queue/api.js";
import { scheduleFlush, registerBackgroundSync } from "../queue/scheduler.js";
import { broadcast } from "../queue/broadcast.js";
import { lookAgain } from "./looking.js";
import { changeOf, draftOf, strikeOut } from "./noting.js";
import { MOST, newTap } from "./pressing.js";
import { remember } from "./visiting.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("./pressing.js").Tap} Tap
 */
const KIND = "tap";

/** What is kept of the tag of a page. */
export class Keeping {
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

  /** Behind those that wait. It is kept when this is done. @param {number} delta */
  press(delta) {
    return add(draftOf(this.page, delta, false));
  }

  /** All that is not answered, under the keys that it has: what may have been done already is not done again. */
  async keep() {
    const { page } = this;
    /** @type {Tap[][]} */
    let [taps, fresh] = [[], []];
    /** @type {Change[]} */
    let put = [];
    const keeping = store.update((changes, names) => {
      taps = page.stuck ? [] : page.sending.all;
      fresh = taps.filter(({ isKept }) => !isKept);
      for (const tap of fresh) Object.assign(tap, { isOpen: false, isKept: true });
      put = taps.map((tap) => ({ ...changeOf(page, tap), note: tap.key }));
      return addJournaled(changes, names, put, kinds);
    }, JOURNALED);
    await keeping.catch((error) => {
      for (const tap of fresh) tap.isKept = false;
      throw error;
    });
    strikeOut(taps.filter(({ isTried }, i) => !isTried || put[i].sent));
  }

  /**
   * Into as few as can be, but for those that the queue has sent meanwhile.
   * @param {Tap[]} pressed @param {boolean} isToAsk at once, so that it may be done
   */
  async join(pressed, isToAsk) {
    const { joined, isWhole } = await store.update((changes, names) => {
      const keys = pressed.map(({ key }) => key);
      const left = changes.filter(({ key, sent }) => keys.includes(key) && sent === null).map(({ key }) => key);
      const ours = pressed.filter(({ key, isKept }) => left.includes(key) || !(isKept || names?.includes(key)));
      const joined = summed(ours).map((tap) => ({ ...tap, isKept: true }));
      const others = changes.filter(({ key }) => !left.includes(key));
      const made = joined.map((tap) => changeOf(this.page, { ...tap, isTried: isToAsk }));
      const value = appendNames(names, [...keys, ...made.map(({ key }) => key)]);
      return { changes: [...others, ...made], value, result: { joined, isWhole: ours.length === pressed.length } };
    }, JOURNALED);
    strikeOut(pressed);
    if (!isWhole) lookAgain(this.page, "sent");
    return joined;
  }

  /** From here on it is the queue's. @returns {Promise<boolean>} whether it is */
  async hold() {
    const { sending } = this.page;
    try {
      await this.keep();
    } catch {
      return false;
    }
    sending.taps = sending.taps.filter(({ isKept }) => !isKept);
    sending.pressed = sending.pressed.filter(({ isKept }) => !isKept);
    remember({ undo: null, done: true });
    broadcast("");
    scheduleFlush();
    registerBackgroundSync();
    return true;
  }

  /** The page may never be seen again. */
  leave() {
    this.keep().catch(() => {});
    registerBackgroundSync();
  }

  /** Another page may have them by a note. @param {Tap[]} taps that nobody has to send any more */
  async drop(taps) {
    const keys = taps.map(({ key }) => key);
    for (const tap of taps) tap.isKept = false;
    await store.update((changes, names) => {
      const value = names?.filter((/** @type {string} */ name) => !keys.includes(name));
      return { changes: changes.filter(({ key }) => !keys.includes(key)), value };
    }, JOURNALED);
  }

  /** Take back what nobody has sent, if there is such. @returns {(() => void) | null} */
  get wayBack() {
    const last = this.page.held.at(-1);
    return last?.sent === null ? () => void withdraw(last) : null;
  }

  async #read() {
    const turn = ++this.#turn;
    const [held, over] = (await Promise.all([listWaiting("", ""), listLost("", "")])).map((all) =>
      all.filter(({ kind, about }) => kind === KIND && about === this.page.tag),
    );
    const own = this.#own;
    if (turn === this.#turn) this.#hear(held.filter(({ key }) => !own.has(key)), over);
  }

  /** @param {Change[]} held @param {Change[]} over */
  #hear(held, over) {
    const { page } = this;
    const isSent = page.held.length > 0 && !held.length;
    const late = held.find(({ question }) => question);
    page.held = held;
    for (const change of over) dismiss(change);
    if (over.some((change) => change.over?.code === "ended")) return page.end();
    if (over.length) page.say("failed");
    else if (isSent) lookAgain(this.page, "sent");
    else if (late) this.#askAgain(late);
    else if (held.length) {
      page.say("kept");
      page.offerUndo();
    }
    page.show();
  }

  /** Whether it was done a day ago nobody knows. @param {Change} late */
  #askAgain(late) {
    const body = /** @type {Tap} */ (late.body);
    this.page.say("before");
    this.page.offerAgain([body], () => answerQuestion(late, { again: {} }));
  }

  /** The keys of what this page sends itself. @returns {Set<string | undefined>} */
  get #own() {
    return new Set(this.page.sending.all.map(({ key }) => key));
  }
}

/** The same as one tap, or as many as it takes. @param {Tap[]} pressed */
function summed(pressed) {
  const taps = [];
  for (let left = pressed.reduce((sum, { delta }) => sum + delta, 0); left; left -= taps[taps.length - 1].delta)
    taps.push(newTap(Math.max(-MOST, Math.min(MOST, left))));
  return taps;
}
