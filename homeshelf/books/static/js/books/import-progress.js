import { get } from "../api.js";
import { words } from "../words.js";

const LOOK_EVERY = 500;

/** `<import-progress>`: polls an import until it is done, and then shows its result. */
class ImportProgress extends HTMLElement {
  connectedCallback() {
    this.timer = setInterval(() => this.look(), LOOK_EVERY);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  async look() {
    const answer = await get(`/api/v1/books/imports/${this.dataset.import}`);
    if (!answer.ok) return;
    const { done, total } = answer.body;
    const bar = this.querySelector("progress");
    const label = this.querySelector("label");
    if (bar) bar.value = done;
    if (label) label.textContent = words("progress", { done, total });
    if (done < total) return;
    clearInterval(this.timer);
    location.reload();
  }

  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;
}

customElements.define("import-progress", ImportProgress);
