import { formatAmount } from "../amount.js";
import { overrideDefault } from "../override-default.js";
import { adjustCount, countOf } from "./counts.js";

/**
 * `<count-stepper>`: adjusts a count at once, online or offline. A pending count is paler.
 */
class CountStepper extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => {
      const { value } = /** @type {HTMLButtonElement} */ (event.submitter);
      overrideDefault(event, () => this.press(Number(value)));
    });
    this.show();
  }

  get now() {
    const { item = "", count, version } = this.dataset;
    return countOf(item, Number(count), Number(version));
  }

  /** @param {number} delta */
  press(delta) {
    if (this.now.count + delta < 0) return;
    adjustCount(this.dataset.item ?? "", this.dataset.label ?? "", delta);
  }

  show() {
    const { count, isWaiting } = this.now;
    const [form, output] = [this.querySelector("form"), this.querySelector("output")];
    if (output) output.textContent = formatAmount(count, this.dataset.unit);
    form?.toggleAttribute("data-waiting", isWaiting);
    const less = /** @type {HTMLButtonElement | null} */ (this.querySelector("button[value='-1']"));
    if (less) less.disabled = count === 0;
  }
}

customElements.define("count-stepper", CountStepper);

function showAll() {
  for (const each of /** @type {NodeListOf<CountStepper>} */ (document.querySelectorAll("count-stepper"))) each.show();
}

for (const kind of ["homeshelf:counts", "homeshelf:renewed"]) document.addEventListener(kind, showAll);
