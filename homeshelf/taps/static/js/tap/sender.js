import { sendTap } from "./request.js";
import { saveNotes, removeNotes } from "./notes.js";
import { addPress } from "./taps.js";

/** @typedef {import("./taps.js").Tap} Tap */
const PAUSE = 450;

/**
 * Sends the taps of this page: quick presses in one request, one request after the other. The queue takes
 * over unanswered taps; while it has any of this tag, new taps go there too.
 */
export class TapSender {
  /** Presses since the last pause, not combined yet. @type {Tap[]} */
  pressed = [];
  /** Oldest first, until they are answered or moved to the queue. @type {Tap[]} */
  taps = [];
  busy = false;
  #timer = 0;
  #joining = false;

  /** @param {import("../tap.js").TapPage} page */
  constructor(page) {
    this.page = page;
  }

  /** All unanswered taps. */
  get all() {
    return [...this.taps, ...this.pressed];
  }

  get isWaiting() {
    return this.busy || this.pressed.length > 0;
  }

  /** @param {number} delta */
  press(delta) {
    const before = this.pressed;
    this.pressed = addPress(before, delta);
    saveNotes(this.page, [...before.slice(-1), ...this.pressed.slice(-1)]);
    this.keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.run();
    }, PAUSE);
  }

  /** @param {Tap} tap */
  send(tap) {
    this.taps.push(tap);
    saveNotes(this.page, [tap]);
    this.keep();
    return this.run();
  }

  /** Send all taps one after the other, including new presses. */
  async run() {
    const { page } = this;
    if (this.busy || !this.all.length) return page.show();
    this.busy = true;
    page.start();
    while (true) {
      if (!this.taps.length && !this.#timer) await this.#join(navigator.onLine);
      const [tap] = this.taps;
      if (!tap) break;
      page.show();
      if (page.held.length && (await this.#moveToQueue())) break;
      const answer = await this.#ask(tap);
      if (answer.ok) this.#answered(tap, answer.body);
      else if (answer.why === "ended") page.end();
      else if (answer.why !== "noSignal" || !(await this.#moveToQueue())) page.stop(answer.why);
      if (!answer.ok) break;
    }
    this.busy = false;
    page.show();
  }

  /**
   * Send everything before the user leaves the page. Each tap keeps its key, so that it counts once even if
   * the queue sends it too.
   */
  leave() {
    if (this.#joining) return;
    this.#stopTimer();
    for (const tap of this.pressed) tap.isOpen = false;
    this.taps.push(...this.pressed);
    this.pressed = [];
    this.run();
    for (const tap of this.taps.slice(1)) this.#ask(tap);
    if (this.taps.length) this.page.store?.leave();
  }

  /** Drop all taps. @returns {Tap[]} the dropped ones, for a retry */
  clear() {
    const taps = this.all;
    this.#stopTimer();
    this.#forget(taps);
    this.taps = [];
    this.pressed = [];
    return taps;
  }

  /** Move unanswered taps from notes to the store, which is loaded after the first tap is sent. */
  async keep() {
    await (await this.page.load())?.keep().catch(() => {});
  }

  /** Combine the presses into as few taps as possible. @param {boolean} isSentNext */
  async #join(isSentNext) {
    const pressed = [...this.pressed];
    if (!pressed.length) return;
    for (const tap of pressed) tap.isOpen = false;
    this.#joining = true;
    const joined = await this.page.store?.join(pressed, isSentNext).catch(() => null);
    this.#joining = false;
    this.taps.push(...(joined ?? pressed)); // with their keys, because another page may have taken over the notes
    this.pressed = this.pressed.filter((tap) => !pressed.includes(tap));
  }

  /** @returns {Promise<boolean>} whether the queue has them */
  async #moveToQueue() {
    const store = await this.page.load();
    if (!store) return false;
    await this.#join(false);
    return store.hold();
  }

  /** @param {Tap} tap @param {any} body */
  #answered(tap, body) {
    this.taps.shift();
    this.#forget([tap]);
    this.page.showResult(tap, body);
  }

  /** Send a tap and note the attempt. @param {Tap} tap */
  #ask(tap) {
    const answer = sendTap(this.page.tag, tap);
    saveNotes(this.page, [tap]);
    return answer;
  }

  /** @param {Tap[]} taps that need no sending any more */
  #forget(taps) {
    removeNotes(taps);
    this.page.store?.drop(taps).catch(() => {});
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}
