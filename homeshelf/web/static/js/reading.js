/** `<page-stepper>`: the buttons move the number, and only Save says that one is there. */
class PageStepper extends HTMLElement {
  connectedCallback() {
    const input = /** @type {HTMLInputElement | null} */ (this.querySelector("input[type=number]"));
    if (!input) return;
    for (const button of this.querySelectorAll("button[data-step]")) {
      const step = /** @type {HTMLButtonElement} */ (button);
      step.type = "button";
      step.disabled = false;
      step.addEventListener("click", () => {
        const last = input.max ? Number(input.max) : Infinity;
        const next = Number(input.value || 0) + Number(step.dataset.step);
        input.value = String(Math.max(0, Math.min(last, next)));
      });
    }
    input.addEventListener("focus", () => input.select());
  }
}

customElements.define("page-stepper", PageStepper);
