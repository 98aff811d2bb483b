import { send } from "../api.js";
import { overrideDefault } from "../override-default.js";
import { words } from "../words.js";

const PAUSE = 450;

/**
 * `<page-stepper>`: buttons change the page number. With `data-book` it saves without a Save button, and
 * joins quick presses into one request.
 */
class PageStepper extends HTMLElement {
  timer = 0;
  saved = "";

  connectedCallback() {
    this.input = /** @type {HTMLInputElement | null} */ (this.querySelector("input[type=number]"));
    if (!this.input) return;
    this.saved = this.input.value;
    for (const button of this.querySelectorAll("button[data-step]")) {
      const step = /** @type {HTMLButtonElement} */ (button);
      step.type = "button";
      step.disabled = false;
      step.addEventListener("click", () => this.step(Number(step.dataset.step)));
    }
    this.input.addEventListener("focus", () => this.input?.select());
    if (this.dataset.book) this.saveByItself();
  }

  saveByItself() {
    const save = this.querySelector("button:not([data-step])");
    if (save instanceof HTMLElement) save.hidden = true;
    this.input?.addEventListener("change", () => this.send());
    this.addEventListener("submit", (event) => overrideDefault(event, () => this.send()));
    addEventListener("pagehide", () => this.send());
  }

  /** @param {number} by */
  step(by) {
    if (!this.input) return;
    const last = this.input.max ? Number(this.input.max) : Infinity;
    this.input.value = String(Math.max(0, Math.min(last, Number(this.input.value || 0) + by)));
    if (!this.dataset.book) return;
    this.say("");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), PAUSE);
  }

  /** Save the page; the number is paler until it is stored. */
  async send() {
    clearTimeout(this.timer);
    if (!this.input || !this.input.reportValidity() || this.input.value === this.saved) return;
    const page = this.input.value;
    this.saved = page;
    this.toggleAttribute("data-waiting", true);
    const answer = await send("POST", `/api/v1/books/${this.dataset.book}/page`, { page: Number(page) });
    this.toggleAttribute("data-waiting", false);
    if (answer.ok && page === this.input.max) location.assign(`/books/${this.dataset.book}`);
    else if (answer.ok) this.say(words("pageKept", { page }));
    else {
      this.saved = "";
      this.say(answer.says(words("pageNotKept")));
    }
  }

  /** @param {string} text */
  say(text) {
    const place = this.querySelector("[role=status]");
    if (place) place.textContent = text;
  }
}

customElements.define("page-stepper", PageStepper);
