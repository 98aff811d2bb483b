import { send } from "./api.js";
import { instead } from "./instead.js";
import { toast } from "./toast.js";
import { words } from "./words.js";

const PAUSE = 450;

/**
 * `<count-stepper>`: answers at once, joins quick presses into one request, and says so when the
 * network failed. What is not yet safe is shown paler.
 */
class CountStepper extends HTMLElement {
  waiting = 0;
  timer = 0;
  busy = false;

  connectedCallback() {
    this.form = this.querySelector("form");
    this.output = this.querySelector("output");
    this.addEventListener("submit", (event) => {
      const { value } = /** @type {HTMLButtonElement} */ (event.submitter);
      instead(event, () => this.press(Number(value)));
    });
  }

  get count() {
    return Number(this.dataset.count);
  }

  /** @param {number} delta */
  press(delta) {
    if (this.count + this.waiting + delta < 0) return;
    this.waiting += delta;
    this.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), PAUSE);
  }

  show() {
    const shown = this.count + this.waiting;
    if (this.output) this.output.textContent = String(shown);
    this.form?.toggleAttribute("data-waiting", this.waiting !== 0 || this.busy);
    const less = /** @type {HTMLButtonElement | null} */ (this.querySelector("button[value='-1']"));
    if (less) less.disabled = shown === 0;
  }

  async send() {
    if (!this.waiting || this.busy) return;
    const delta = this.waiting;
    this.waiting = 0;
    this.busy = true;
    this.dataset.count = String(this.count + delta);
    const answer = await this.ask(delta);
    this.busy = false;
    if (answer) this.dataset.count = String(answer.item.quantity);
    else this.dataset.count = String(this.count - delta);
    this.show();
    if (this.waiting) this.send();
  }

  /** @param {number} delta */
  async ask(delta) {
    const answer = await send("POST", `/api/v1/items/${this.dataset.item}/adjust`, { delta });
    if (answer.ok) return answer.body;
    toast(answer.says(), answer.isHeard ? {} : { undo: () => this.press(delta), word: words("tryAgain") });
    return null;
  }
}

customElements.define("count-stepper", CountStepper);
