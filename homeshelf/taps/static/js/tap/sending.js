import { ask } from "./asking.js";
import { note, strikeOut } from "./noting.js";
import { gathered } from "./pressing.js";

/** @typedef {import("./pressing.js").Tap} Tap */
const PAUSE = 450;

/**
 * Sends what was done on this page: quick presses joined into one request, one request after the other.
 * What nothing is heard of is left to the queue; as long as something of the tag waits there, all else
 * goes there too.
 */
export class Sending {
  /** Since the last pause, and still to be joined. @type {Tap[]} */
  pressed = [];
  /** Oldest first; each stays until it is answered, or left to the queue. @type {Tap[]} */
  taps = [];
  busy = false;
  #timer = 0;
  #joining = false;

  /** @param {import("../tap.js").TapPage} page */
  constructor(page) {
    this.page = page;
  }

  /** All that is not answered. */
  get all() {
    return [...this.taps, ...this.pressed];
  }

  get isWaiting() {
    return this.busy || this.pressed.length > 0;
  }

  /** @param {number} delta */
  press(delta) {
    const before = this.pressed;
    this.pressed = gathered(before, delta);
    note(this.page, [...before.slice(-1), ...this.pressed.slice(-1)]);
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
    note(this.page, [tap]);
    this.keep();
    return this.run();
  }

  /** One after the other, what was joined meanwhile included. */
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
      if (page.held.length && (await this.#leaveToQueue())) break;
      const answer = await this.#ask(tap);
      if (answer.ok) this.#answered(tap, answer.body);
      else if (answer.why === "ended") page.end();
      else if (answer.why !== "noSignal" || !(await this.#leaveToQueue())) page.stop(answer.why);
      if (!answer.ok) break;
    }
    this.busy = false;
    page.show();
  }

  /**
   * Nothing that was pressed waits for a page that may never be seen again. Each is sent under the key that
   * it is kept under, so that it counts once, whoever else sends it.
   */
  leave() {
    if (this.#joining) return;
    this.#stopTimer();
    for (const tap of this.pressed) tap.isOpen = false;
    this.taps.push(...this.pressed);
    this.pressed = [];
    this.run();
    for (const tap of this.taps.slice(1)) this.#ask(tap);
    if (this.taps.length) this.page.keeping?.leave();
  }

  /** Nobody sends it, unless somebody asks for it. @returns {Tap[]} what there was */
  clear() {
    const taps = this.all;
    this.#stopTimer();
    this.#forget(taps);
    this.taps = [];
    this.pressed = [];
    return taps;
  }

  /** What is not answered is kept for longer than a note; the first tap is on its way before that can be loaded. */
  async keep() {
    await (await this.page.load())?.keep().catch(() => {});
  }

  /** What was pressed becomes one tap, or as many as it takes. @param {boolean} isToAsk at once */
  async #join(isToAsk) {
    const pressed = [...this.pressed];
    if (!pressed.length) return;
    for (const tap of pressed) tap.isOpen = false;
    this.#joining = true;
    const joined = await this.page.keeping?.join(pressed, isToAsk).catch(() => null);
    this.#joining = false;
    this.taps.push(...(joined ?? pressed)); // under their keys: another page may have taken in what was noted
    this.pressed = this.pressed.filter((tap) => !pressed.includes(tap));
  }

  /** @returns {Promise<boolean>} whether the queue has it */
  async #leaveToQueue() {
    const keeping = await this.page.load();
    if (!keeping) return false;
    await this.#join(false);
    return keeping.hold();
  }

  /** @param {Tap} tap @param {any} body */
  #answered(tap, body) {
    this.taps.shift();
    this.#forget([tap]);
    this.page.happened(tap, body);
  }

  /** Noted as tried. @param {Tap} tap */
  #ask(tap) {
    const answer = ask(this.page.tag, tap);
    note(this.page, [tap]);
    return answer;
  }

  /** @param {Tap[]} taps that nobody has to send any more */
  #forget(taps) {
    strikeOut(taps);
    this.page.keeping?.drop(taps).catch(() => {});
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}
