import { getPage } from "../api.js";
import { morph } from "../live/morph.js";
import { foldName } from "../typing/names.js";
import { words } from "../words.js";
import { foundRows, hideRepeatedHeadings } from "./found-rows.js";

const PAUSE = 200; // after the last key press, before the request

/**
 * `<stock-search>`: filters as the user types, and offers to add an unknown item. If the page has only
 * some of the items, it asks the server for the others.
 */
class StockSearch extends HTMLElement {
  #timer = 0;
  /** The number of the last request: answers to earlier ones are ignored. */
  #asked = 0;
  /** The ids that the server found, because it knows more spellings. @type {Set<string>} */
  #found = new Set();

  connectedCallback() {
    this.querySelector("button")?.setAttribute("hidden", "");
    this.#input?.addEventListener("input", () => (this.#found.clear(), this.#search()));
    this.#search();
    document.addEventListener("homeshelf:renewed", () => this.#search());
  }

  get #input() {
    return this.querySelector("input");
  }

  get #typed() {
    return this.#input?.value.trim() ?? "";
  }

  /** Check whether the text differs from the search of the page. */
  get #isEdited() {
    return this.#typed !== this.#input?.defaultValue.trim();
  }

  #search() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    const isPartial = document.querySelector("#stock[data-partial]");
    const isAsking = Boolean(isPartial) && this.#isEdited;
    if (isAsking) this.#timer = setTimeout(() => this.#ask(), PAUSE);
    else document.getElementById("found")?.replaceChildren();
    this.#setStatus(isAsking ? words("looking") : "");
    this.#filter(isAsking);
  }

  async #ask() {
    const asked = this.#asked;
    const show = this.querySelector("[name=show]")?.getAttribute("value") ?? "";
    const answer = await getPage(`/stock?${new URLSearchParams({ q: this.#typed, show })}`);
    if (asked !== this.#asked) return;
    const place = document.getElementById("found");
    const stock = answer.ok && answer.page.getElementById("stock");
    this.#setStatus(stock ? "" : answer.says(words("onlyLoaded")));
    if (!stock || !place) return;
    for (const row of stock.querySelectorAll("[data-name]")) this.#found.add(row.id);
    morph(place, foundRows(stock));
    this.#filter();
  }

  /** @param {boolean} [isAsking] whether an answer of the server is pending */
  #filter(isAsking = false) {
    const [sought, isEdited] = [foldName(this.#typed), this.#isEdited];
    let found = 0;
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-name]"))) {
      const fits = !isEdited || this.#found.has(row.id) || foldName(row.dataset.name ?? "").includes(sought);
      row.toggleAttribute("hidden", !fits);
      if (fits) found += 1;
    }
    for (const group of document.querySelectorAll(".stock-group"))
      group.toggleAttribute("hidden", !group.querySelector("[data-name]:not([hidden])"));
    hideRepeatedHeadings();
    for (const rest of document.querySelectorAll("#stock :is(.stock-more, .empty)"))
      rest.toggleAttribute("hidden", isEdited);
    this.#showAddLink(isEdited && found === 0 && Boolean(sought) && !isAsking);
  }

  /** @param {boolean} isOffered */
  #showAddLink(isOffered) {
    const offer = this.querySelector(".not-found");
    offer?.toggleAttribute("hidden", !isOffered);
    const link = offer?.querySelector("a");
    const offered = link?.querySelector("span");
    if (!link || !offered) return;
    link.href = `/stock/new?name=${encodeURIComponent(this.#typed)}`;
    offered.textContent = words("addIt", { name: this.#typed });
  }

  /** @param {string} text */
  #setStatus(text) {
    const place = this.querySelector(".search-status");
    if (place && place.textContent !== text) place.textContent = text;
  }
}

customElements.define("stock-search", StockSearch);
