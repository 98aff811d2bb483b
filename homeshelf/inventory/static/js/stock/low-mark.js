import { startOf } from "./starts.js";

/**
 * `<low-mark data-starts='{"g": 250}'>`: below how many somebody is told. While the number is empty it shows
 * what the server would begin with, and who types one wants to be told.
 */
class LowMark extends HTMLElement {
  connectedCallback() {
    this.closest("form")?.addEventListener("input", ({ target }) => {
      if (target === this.number && this.number?.value) this.tells();
      this.begin();
    });
    this.begin();
  }

  /** @returns {HTMLInputElement | null} */
  get number() {
    return this.querySelector("input[type=number]");
  }

  tells() {
    const below = /** @type {HTMLInputElement | null} */ (this.querySelector("[value=below]"));
    if (below) below.checked = true;
  }

  begin() {
    const count = Number(this.dataset.count || this.typed("quantity"));
    const start = startOf(JSON.parse(this.dataset.starts ?? "{}"), this.typed("unit"), count);
    if (this.number) this.number.placeholder = String(start);
  }

  /** @param {string} name */
  typed(name) {
    const field = this.closest("form")?.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field.value : "";
  }
}

customElements.define("low-mark", LowMark);
