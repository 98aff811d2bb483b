import { words } from "../words.js";

/** @param {string} text */
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** `<stock-search>`: filters as one types, and offers to add what is not there. */
class StockSearch extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    this.querySelector("button")?.setAttribute("hidden", "");
    input?.addEventListener("input", () => this.filter(input.value));
    if (input?.value) this.filter(input.value);
    document.addEventListener("homeshelf:renewed", () => input && this.filter(input.value));
  }

  /** @param {string} typed */
  filter(typed) {
    const sought = plain(typed);
    let found = 0;
    for (const row of document.querySelectorAll("[data-name]")) {
      const fits = plain(/** @type {HTMLElement} */ (row).dataset.name ?? "").includes(sought);
      row.toggleAttribute("hidden", !fits);
      if (fits) found += 1;
    }
    for (const group of document.querySelectorAll(".stock-group"))
      group.toggleAttribute("hidden", !group.querySelector("[data-name]:not([hidden])"));
    const offer = this.querySelector(".not-found");
    offer?.toggleAttribute("hidden", found > 0 || !sought);
    const link = offer?.querySelector("a");
    const offered = link?.querySelector("span");
    if (link && offered) {
      link.href = `/stock/new?name=${encodeURIComponent(typed.trim())}`;
      offered.textContent = words("addIt", { name: typed.trim() });
    }
  }
}

customElements.define("stock-search", StockSearch);
