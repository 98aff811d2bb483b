import { lookAgain } from "./tap/looking.js";
import { newTap } from "./tap/pressing.js";
import { meant, words } from "./tap/saying.js";
import { Sending } from "./tap/sending.js";
import { begin, isSeen, remember, visit, whenSeen } from "./tap/visiting.js";

const IDLE = 1000;

/** @typedef {import("./tap/pressing.js").Tap} Tap */

/**
 * `<tap-page>`: takes one when somebody really comes, and once only. What is pressed after that is kept at
 * once, and has a key, so that sending it again does nothing twice.
 */
export class TapPage extends HTMLElement {
  sending = new Sending(this);
  /** What the queue has of this tag besides. @type {import("./queue/change.js").Change[]} */
  held = [];
  /** @type {import("./tap/keeping.js").Keeping | null} */
  keeping = null;
  /** @type {Promise<void> | null} */
  loading = null;
  stuck = false;
  over = false;

  connectedCallback() {
    this.number = /** @type {HTMLElement} */ (this.querySelector(".tap-count"));
    this.said = /** @type {HTMLElement} */ (this.querySelector(".tap-message"));
    this.again = /** @type {HTMLButtonElement} */ (this.querySelector(".tap-action"));
    this.again.addEventListener("click", () => this.next?.());
    this.querySelector("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.press(Number(/** @type {HTMLButtonElement} */ (event.submitter).value));
    });
    addEventListener("pagehide", () => this.leave());
    addEventListener("online", () => this.stuck && this.say("signal"));
    whenSeen().then(() => this.arrive());
  }

  arrive() {
    document.addEventListener("visibilitychange", () => (isSeen() ? lookAgain(this, "meanwhile") : this.leave()));
    const { sending } = this;
    const begun = begin();
    if (!begun) {
      this.say("nothingMore");
      this.offerUndo();
      this.load();
      return;
    }
    sending.taps.push(begun.tap);
    if (begun.isLate) this.stop("before");
    else sending.run().then(() => setTimeout(() => this.load(), IDLE));
  }

  /** What keeps taps, null where it cannot be had: it comes from the phone, or while there is a signal. */
  async load() {
    this.loading ??= import("./tap/keeping.js").then(({ Keeping }) => (this.keeping = new Keeping(this)).open());
    await this.loading.catch(() => (this.loading = null));
    return this.keeping;
  }

  /** At 0 it is asked all the same: somebody may have brought more. @param {number} delta */
  press(delta) {
    const { sending, held } = this;
    if ((sending.pressed.length || held.length) && this.shown + delta < 0) return;
    if (held.length) return void this.keeping?.press(delta);
    sending.press(delta);
    this.show();
  }

  leave() {
    if (!this.stuck) this.sending.leave();
  }

  /** Something is sent. */
  start() {
    this.stuck = false;
    this.offer("", null);
  }

  /** @param {Tap} tap @param {{quantity: number, applied: number, message: string}} body */
  happened(tap, body) {
    this.dataset.count = String(body.quantity);
    this.say("happened", body);
    remember({ undo: tap.undo || !body.applied ? null : newTap(-body.applied, true), done: true });
    this.offerUndo();
  }

  /** What was meant stays one button away. @param {string} why */
  stop(why) {
    const { sending } = this;
    this.stuck = true;
    sending.taps = sending.clear();
    this.say(why);
    this.offerAgain(sending.taps, () => (sending.run(), sending.keep()));
    this.show();
  }

  /** The tag is dead. */
  end() {
    this.sending.clear();
    this.held = [];
    this.over = true;
    this.say("ended");
    this.offer("", null);
    this.show();
  }

  get tag() {
    return this.dataset.tag ?? "";
  }

  get count() {
    return Number(this.dataset.count);
  }

  /** What it comes to, or what is known as long as nothing can be sent. */
  get shown() {
    const own = this.stuck ? [] : this.sending.all;
    const held = this.held.filter(({ question }) => !question).map(({ body }) => body?.delta);
    return [...held, ...own.map(({ delta }) => delta)].reduce((sum, delta) => sum + delta, this.count);
  }

  show() {
    const { number } = this;
    if (!number) return;
    const shown = String(Math.max(0, this.shown));
    number.textContent = shown;
    number.dataset.digits = String(Math.min(5, shown.length));
    number.toggleAttribute("data-gone", shown === "0");
    number.toggleAttribute("data-waiting", this.sending.isWaiting || this.held.length > 0);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.querySelectorAll("form button"))) {
      button.disabled = this.stuck || this.over;
    }
  }

  /** @param {string} key @param {Record<string, string | number>} [values] */
  say(key, values) {
    if (this.said) this.said.textContent = words(key, values);
  }

  offerUndo() {
    const { undo } = visit() ?? {};
    const back = this.held.length ? this.keeping?.wayBack : undo && (() => this.sending.send({ ...undo }));
    this.offer(words("undo"), back ?? null);
  }

  /** @param {Pick<Tap, "delta" | "undo">[]} taps @param {() => void} next */
  offerAgain(taps, next) {
    this.offer(meant(taps), next);
  }

  /** One button for what one may want next. @param {string} word @param {(() => void) | null} next */
  offer(word, next) {
    this.next = next;
    if (!this.again) return;
    this.again.toggleAttribute("data-none", !next); // its room stays: nothing moves under a thumb
    this.again.textContent = word;
    this.again.classList.toggle("button-main", this.stuck);
  }
}

customElements.define("tap-page", TapPage);
