import { foldName } from "../typing/names.js";

/** `<select-search>`: shows the options that fit what is typed, and selects the first of them. */
class SelectSearch extends HTMLElement {
  connectedCallback() {
    const [input, select] = [this.querySelector("input"), this.querySelector("select")];
    if (!input || !select) return;
    const all = [...select.options];
    input.hidden = false;
    input.addEventListener("input", () => {
      const sought = foldName(input.value);
      const fits = all.filter(({ text }) => foldName(text).includes(sought));
      if (!fits.length) return;
      const chosen = fits.find((option) => option.selected) ?? fits[0];
      select.replaceChildren(...fits);
      chosen.selected = true;
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // the form is not complete yet
      select.focus();
    });
  }
}

customElements.define("select-search", SelectSearch);
