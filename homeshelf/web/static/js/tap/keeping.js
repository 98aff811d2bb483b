// Taps that nothing was heard of. The queue keeps them, and whichever page or worker has a signal first sends
// them. It is fetched when somebody has come, so that the page itself is there at once.
import { kept } from "../queue/kept.js";
import { add, answer, dismiss, lost, waiting, withdraw } from "../queue/phone.js";
import { sendSoon, sendWithoutPages } from "../queue/soon.js";
import { tell } from "../queue/telling.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {{delta: number, undo: boolean, key: string, isTried?: boolean}} Tap
 *
 * @typedef {HTMLElement & {held: Change[], show: () => void, say: (key: string) => void, end: () => void,
 *   lookAgain: (why: "sent") => void, offerUndo: () => void, offerAgain: (taps: any[], next: () => void) => void}} Page
 */
const NOBODY = { who: "", family: "" };
const KIND = "tap";

/** What the queue keeps of the tag of a page. */
export class Keeping {
  #turn = 0;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.tag = page.dataset.tag ?? "";
    this.name = page.querySelector("h1")?.textContent ?? "";
  }

  async open() {
    document.addEventListener("homeshelf:queue", () => this.#read());
    await this.#read();
    sendSoon();
  }

  /** It is kept when this is done. @param {number} delta */
  press(delta) {
    return add({ ...NOBODY, ...this.#draft(delta, false) });
  }

  /**
   * Under the keys that they have: what may have been done already is not done again.
   * @param {Tap[]} taps @param {string} at the server's time before them
   */
  async take(taps, at) {
    const made = taps.map(({ delta, undo, key, isTried }) => {
      const change = { ...NOBODY, ...this.#draft(delta, undo), key, sent: isTried ? at : null };
      return /** @type {Change} */ (/** @type {unknown} */ ({ ...change, question: null, over: null }));
    });
    await kept.update((changes) => {
      const known = new Set(changes.map(({ key }) => key));
      return { changes: [...changes, ...made.filter(({ key }) => !known.has(key))] };
    });
    tell("");
    sendSoon();
    sendWithoutPages();
  }

  /** Take back what nobody has sent, if there is such. @returns {(() => void) | null} */
  get wayBack() {
    const last = this.page.held.at(-1);
    return last?.sent === null ? () => void withdraw(last) : null;
  }

  async #read() {
    const turn = ++this.#turn;
    const [held, over] = (await Promise.all([waiting("", ""), lost("", "")])).map((all) =>
      all.filter(({ kind, about }) => kind === KIND && about === this.tag),
    );
    if (turn === this.#turn) this.#hear(held, over);
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
    else if (isSent) page.lookAgain("sent");
    else if (late) this.#askAgain(late);
    else if (held.length) {
      page.say("kept");
      page.offerUndo();
    }
    page.show();
  }

  /** Whether it was done a day ago nobody knows. @param {Change} late */
  #askAgain(late) {
    this.page.say("before");
    this.page.offerAgain([late.body], () => answer(late, { again: {} }));
  }

  /** @param {number} delta @param {boolean} undo */
  #draft(delta, undo) {
    const path = `/api/v1/taps/${this.tag}`;
    return { kind: KIND, about: this.tag, label: this.name, method: "POST", path, body: { delta, undo }, seen: null };
  }
}
