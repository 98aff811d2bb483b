import { defaultThreshold } from "./default-threshold.js";

/**
 * `<low-mark data-default-thresholds='{"g": 250}'>`: the threshold field. While it is empty, it shows the
 * default threshold; typing a number also chooses to be notified.
 */
class LowMark extends HTMLElement {
  connectedCallback() {
    this.closest("form")?.addEventListener("input", ({ target }) => {
      if (target === this.number && this.number?.value) this.selectBelow();
      this.showDefault();
    });
    this.showDefault();
  }

  /** @returns {HTMLInputElement | null} */
  get number() {
    return this.querySelector("input[type=number]");
  }

  selectBelow() {
    const below = /** @type {HTMLInputElement | null} */ (this.querySelector("[value=below]"));
    if (below) below.checked = true;
  }

  showDefault() {
    const count = Number(this.dataset.count || this.fieldValue("quantity"));
    const start = defaultThreshold(JSON.parse(this.dataset.defaultThresholds ?? "{}"), this.fieldValue("unit"), count);
    if (this.number) this.number.placeholder = String(start);
  }

  /** @param {string} name */
  fieldValue(name) {
    const field = this.closest("form")?.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field.value : "";
  }
}

customElements.define("low-mark", LowMark);
