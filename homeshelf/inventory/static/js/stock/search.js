import { getPage } from "../api.js";
import { morph } from "../live/morph.js";
import { foldName } from "../typing/names.js";
import { words } from "../words.js";
import { beyond, joinGroups } from "./beyond.js";

const PAUSE = 200; // after the last letter, before the server is asked

/**
 * `<stock-search>`: filters as one types, and offers to add what is not there. Where the page has not all of it,
 * the server is asked for the rest.
 */
class StockSearch extends HTMLElement {
  #timer = 0;
  /** How often something was asked: an answer to another question than the last one is of no use. */
  #asked = 0;
  /** What the server found, which knows more ways to write a name. @type {Set<string>} */
  #found = new Set();

  connectedCallback() {
    this.querySelector("button")?.setAttribute("hidden", "");
    this.#input?.addEventListener("input", () => (this.#found.clear(), this.#seek()));
    this.#seek();
    document.addEventListener("homeshelf:renewed", () => this.#seek());
  }

  get #input() {
    return this.querySelector("input");
  }

  get #typed() {
    return this.#input?.value.trim() ?? "";
  }

  /** Whether the page was asked for something else. */
  get #isOther() {
    return this.#typed !== this.#input?.defaultValue.trim();
  }

  #seek() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    const isPartial = document.querySelector("#stock[data-partial]");
    const isAsking = Boolean(isPartial) && this.#isOther;
    if (isAsking) this.#timer = setTimeout(() => this.#ask(), PAUSE);
    else document.getElementById("found")?.replaceChildren();
    this.#say(isAsking ? words("looking") : "");
    this.#filter(isAsking);
  }

  async #ask() {
    const asked = this.#asked;
    const show = this.querySelector("[name=show]")?.getAttribute("value") ?? "";
    const answer = await getPage(`/stock?${new URLSearchParams({ q: this.#typed, show })}`);
    if (asked !== this.#asked) return;
    const place = document.getElementById("found");
    const stock = answer.ok && answer.page.getElementById("stock");
    this.#say(stock ? "" : answer.says(words("onlyLoaded")));
    if (!stock || !place) return;
    for (const row of stock.querySelectorAll("[data-name]")) this.#found.add(row.id);
    morph(place, beyond(stock));
    this.#filter();
  }

  /** @param {boolean} [isAsking] the server may know of more */
  #filter(isAsking = false) {
    const [sought, isOther] = [foldName(this.#typed), this.#isOther];
    let found = 0;
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-name]"))) {
      const fits = !isOther || this.#found.has(row.id) || foldName(row.dataset.name ?? "").includes(sought);
      row.toggleAttribute("hidden", !fits);
      if (fits) found += 1;
    }
    for (const group of document.querySelectorAll(".stock-group"))
      group.toggleAttribute("hidden", !group.querySelector("[data-name]:not([hidden])"));
    joinGroups();
    for (const rest of document.querySelectorAll("#stock :is(.stock-more, .empty)"))
      rest.toggleAttribute("hidden", isOther);
    this.#offer(isOther && found === 0 && Boolean(sought) && !isAsking);
  }

  /** @param {boolean} isOffered */
  #offer(isOffered) {
    const offer = this.querySelector(".not-found");
    offer?.toggleAttribute("hidden", !isOffered);
    const link = offer?.querySelector("a");
    const offered = link?.querySelector("span");
    if (!link || !offered) return;
    link.href = `/stock/new?name=${encodeURIComponent(this.#typed)}`;
    offered.textContent = words("addIt", { name: this.#typed });
  }

  /** @param {string} text */
  #say(text) {
    const place = this.querySelector(".search-status");
    if (place && place.textContent !== text) place.textContent = text;
  }
}

customElements.define("stock-search", StockSearch);
