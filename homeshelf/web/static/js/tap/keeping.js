// Keeps taps on the phone until they are answered. Those that nothing was heard of are the queue's, and
// whichever page or worker has a signal first sends them. It is fetched when somebody has come, so that the
// page itself is there at once.
import { kept } from "../queue/kept.js";
import { add, answer, dismiss, lost, waiting, withdraw } from "../queue/phone.js";
import { sendSoon, sendWithoutPages } from "../queue/soon.js";
import { tell } from "../queue/telling.js";
import { lookAgain } from "./looking.js";
import { summed } from "./pressing.js";
import { remember } from "./visiting.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("./pressing.js").Tap} Tap
 */
const NOBODY = { who: "", family: "" };
const KIND = "tap";

/** What is kept of the tag of a page. */
export class Keeping {
  #turn = 0;

  /** @param {import("./page.js").TapPage} page */
  constructor(page) {
    this.page = page;
    this.name = page.querySelector("h1")?.textContent ?? "";
  }

  async open() {
    document.addEventListener("homeshelf:queue", () => this.#read());
    await this.#read();
    if (this.page.held.length) sendSoon();
  }

  /** Behind those that wait. It is kept when this is done. @param {number} delta */
  press(delta) {
    return add({ ...NOBODY, ...this.#draft(delta, false) });
  }

  /** All that is not answered, under the keys that it has: what may have been done already is not done again. */
  async keep() {
    /** @type {Tap[]} */
    let fresh = [];
    const keeping = kept.update((changes) => {
      const taps = this.page.stuck ? [] : this.page.sending.all;
      const tried = new Set(taps.filter(({ isTried }) => isTried).map(({ key }) => key));
      fresh = taps.filter(({ isKept }) => !isKept);
      for (const tap of fresh) Object.assign(tap, { isOpen: false, isKept: true });
      const known = changes.map((each) => (tried.has(each.key) ? { ...each, sent: each.sent ?? this.#at } : each));
      return { changes: [...known, ...fresh.map((tap) => this.#change(tap, tried.has(tap.key)))] };
    });
    await keeping.catch((error) => {
      for (const tap of fresh) tap.isKept = false;
      throw error;
    });
  }

  /**
   * Into as few as can be, but for those that the queue has sent meanwhile.
   * @param {Tap[]} pressed @param {boolean} isToAsk at once, so that it may be done
   */
  async join(pressed, isToAsk) {
    const { joined, isWhole } = await kept.update((changes) => {
      const keys = new Set(pressed.map(({ key }) => key));
      const left = new Set(changes.filter(({ key, sent }) => keys.has(key) && sent === null).map(({ key }) => key));
      const ours = pressed.filter(({ key, isKept }) => !isKept || left.has(key));
      for (const tap of pressed) tap.isKept = true;
      const joined = summed(ours).map((tap) => ({ ...tap, isKept: true }));
      const others = changes.filter(({ key }) => !left.has(key));
      const result = { joined, isWhole: ours.length === pressed.length };
      return { changes: [...others, ...joined.map((tap) => this.#change(tap, isToAsk))], result };
    });
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
    tell("");
    sendSoon();
    sendWithoutPages();
    return true;
  }

  /** The page may never be seen again. */
  leave() {
    this.keep().catch(() => {});
    sendWithoutPages();
  }

  /** @param {Tap[]} taps that nobody has to send any more */
  async drop(taps) {
    const keys = new Set(taps.filter(({ isKept }) => isKept).map(({ key }) => key));
    for (const tap of taps) tap.isKept = false;
    if (keys.size) await kept.update((changes) => ({ changes: changes.filter(({ key }) => !keys.has(key)) }));
  }

  /** Take back what nobody has sent, if there is such. @returns {(() => void) | null} */
  get wayBack() {
    const last = this.page.held.at(-1);
    return last?.sent === null ? () => void withdraw(last) : null;
  }

  async #read() {
    const turn = ++this.#turn;
    const [held, over] = (await Promise.all([waiting("", ""), lost("", "")])).map((all) =>
      all.filter(({ kind, about }) => kind === KIND && about === this.page.tag),
    );
    const own = new Set(this.page.sending.all.map(({ key }) => key));
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
    this.page.offerAgain([body], () => answer(late, { again: {} }));
  }

  /** The server's time before anything that is not answered yet. */
  get #at() {
    return new Date(Number(this.page.dataset.at) * 1000).toISOString();
  }

  /** @param {Tap} tap @param {boolean} isTried */
  #change({ delta, undo, key }, isTried) {
    const change = { ...NOBODY, ...this.#draft(delta, undo), key, sent: isTried ? this.#at : null };
    return /** @type {Change} */ (/** @type {unknown} */ ({ ...change, question: null, over: null }));
  }

  /** @param {number} delta @param {boolean} undo */
  #draft(delta, undo) {
    const { tag } = this.page;
    const path = `/api/v1/taps/${tag}`;
    return { kind: KIND, about: tag, label: this.name, method: "POST", path, body: { delta, undo }, seen: null };
  }
}
