import { getPage } from "../api.js";
import { morph } from "../live/morph.js";
import { foldName } from "../typing/names.js";
import { words } from "../words.js";

const PAUSE = 250; // between two letters, before the server is asked

/**
 * `<wish-search>`: shows the cards that fit as one types, and offers what is not there as something new. The server
 * is asked where it has more than is shown.
 */
class WishSearch extends HTMLElement {
  asksServer = false;
  asking = 0;

  connectedCallback() {
    const input = this.input;
    if (!input) return;
    this.querySelector("button")?.setAttribute("hidden", "");
    this.asksServer = !!input.value || cards()?.dataset.more !== undefined;
    input.addEventListener("input", () => this.seek());
    this.querySelector("form")?.addEventListener("submit", (event) => (event.preventDefault(), input.blur()));
    document.addEventListener("homeshelf:renewed", () => this.show());
    this.show();
  }

  get input() {
    return this.querySelector("input");
  }

  get sought() {
    return this.input?.value.trim() ?? "";
  }

  seek() {
    this.show();
    clearTimeout(this.asking);
    if (this.asksServer) this.asking = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    const { sought } = this;
    const path = sought ? `/wishes?q=${encodeURIComponent(sought)}` : "/wishes";
    const answer = await getPage(path);
    const fresh = answer.ok ? answer.page.getElementById("cards") : null;
    const shown = cards();
    if (!fresh || !shown || sought !== this.sought) return;
    for (const region of document.querySelectorAll("live-region")) region.setAttribute("data-from", path);
    morph(shown, fresh);
    this.show();
  }

  show() {
    const sought = foldName(this.sought);
    let found = 0;
    for (const card of document.querySelectorAll(".wish-cards [data-name]")) {
      const fits = foldName(/** @type {HTMLElement} */ (card).dataset.name ?? "").includes(sought);
      card.closest("li")?.toggleAttribute("hidden", !fits);
      if (fits) found += 1;
    }
    offer(found ? "" : this.sought);
  }
}

/** @param {string} name of what was not found */
function offer(name) {
  const card = document.querySelector(".wish-card-new");
  const text = card?.querySelector("span");
  if (!(card instanceof HTMLAnchorElement) || !text) return;
  card.href = name ? `/wishes/new?name=${encodeURIComponent(name)}` : "/wishes/new";
  card.dataset.typed = name;
  text.textContent = name ? words("newWish", { name }) : words("anyNewWish");
}

/** @returns {HTMLElement | null} */
function cards() {
  return document.querySelector("live-region#cards");
}

customElements.define("wish-search", WishSearch);
