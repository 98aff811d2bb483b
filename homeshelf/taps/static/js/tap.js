import { refreshCount } from "./tap/refresh.js";
import { newTap } from "./tap/taps.js";
import { retryLabel, words } from "./tap/messages.js";
import { TapSender } from "./tap/sender.js";
import { startVisit, isVisible, saveVisit, visit, whenVisible } from "./tap/visit.js";

const IDLE = 1000;

/** @typedef {import("./tap/taps.js").Tap} Tap */

/**
 * `<tap-page>`: takes one item per visit. Each press is stored at once with an idempotency key, so that
 * sending it again has no effect.
 */
export class TapPage extends HTMLElement {
  sender = new TapSender(this);
  /** The queue's pending changes of this tag. @type {import("./queue/change.js").Change[]} */
  held = [];
  /** @type {import("./tap/store.js").TapStore | null} */
  store = null;
  /** @type {Promise<void> | null} */
  loading = null;
  isStopped = false;
  hasEnded = false;

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
    addEventListener("online", () => this.isStopped && this.say("signal"));
    whenVisible().then(() => this.arrive());
  }

  arrive() {
    document.addEventListener("visibilitychange", () => (isVisible() ? refreshCount(this, "meanwhile") : this.leave()));
    const { sender } = this;
    const newVisit = startVisit();
    if (!newVisit) {
      this.say("nothingMore");
      this.showUndo();
      this.load();
      return;
    }
    sender.taps.push(newVisit.tap);
    if (newVisit.isLate) this.stop("before");
    else sender.run().then(() => setTimeout(() => this.load(), IDLE));
  }

  /** Load the store of taps; null if it is not cached and not reachable. */
  async load() {
    this.loading ??= import("./tap/store.js").then(({ TapStore }) => (this.store = new TapStore(this)).open());
    await this.loading.catch(() => (this.loading = null));
    return this.store;
  }

  /** Send a press at count 0 too, because another client may have added some. @param {number} delta */
  press(delta) {
    const { sender, held } = this;
    if ((sender.pressed.length || held.length) && this.shown + delta < 0) return;
    if (held.length) return void this.store?.press(delta);
    sender.press(delta);
    this.show();
  }

  leave() {
    if (!this.isStopped) this.sender.leave();
  }

  /** Reset the page before a request. */
  start() {
    this.isStopped = false;
    this.showButton("", null);
  }

  /** @param {Tap} tap @param {{quantity: number, applied: number, message: string}} body */
  showResult(tap, body) {
    this.dataset.count = String(body.quantity);
    this.say("happened", body);
    saveVisit({ undo: tap.undo || !body.applied ? null : newTap(-body.applied, true), done: true });
    this.showUndo();
  }

  /** Stop sending and offer a retry button. @param {string} why */
  stop(why) {
    const { sender } = this;
    this.isStopped = true;
    sender.taps = sender.clear();
    this.say(why);
    this.showRetry(sender.taps, () => (sender.run(), sender.keep()));
    this.show();
  }

  /** Disable the page of a revoked tag. */
  end() {
    this.sender.clear();
    this.held = [];
    this.hasEnded = true;
    this.say("ended");
    this.showButton("", null);
    this.show();
  }

  get tag() {
    return this.dataset.tag ?? "";
  }

  get count() {
    return Number(this.dataset.count);
  }

  /** The count with pending taps, or the known count while sending is stopped. */
  get shown() {
    const own = this.isStopped ? [] : this.sender.all;
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
    number.toggleAttribute("data-waiting", this.sender.isWaiting || this.held.length > 0);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.querySelectorAll("form button"))) {
      button.disabled = this.isStopped || this.hasEnded;
    }
  }

  /** @param {string} key @param {Record<string, string | number>} [values] */
  say(key, values) {
    if (this.said) this.said.textContent = words(key, values);
  }

  showUndo() {
    const { undo } = visit() ?? {};
    const back = this.held.length ? this.store?.withdrawLast : undo && (() => this.sender.send({ ...undo }));
    this.showButton(words("undo"), back ?? null);
  }

  /** @param {Pick<Tap, "delta" | "undo">[]} taps @param {() => void} next */
  showRetry(taps, next) {
    this.showButton(retryLabel(taps), next);
  }

  /** Show or hide the button for the next action. @param {string} word @param {(() => void) | null} next */
  showButton(word, next) {
    this.next = next;
    if (!this.again) return;
    this.again.toggleAttribute("data-none", !next); // it keeps its space, so that no other button moves
    this.again.textContent = word;
    this.again.classList.toggle("button-main", this.isStopped);
  }
}

customElements.define("tap-page", TapPage);
