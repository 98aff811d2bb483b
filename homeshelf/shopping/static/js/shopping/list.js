import { overrideDefault } from "../override-default.js";
import { isIdle } from "../live/activity.js";
import { refreshCache } from "../queue/api.js";
import { ensureCurrentUser } from "../queue/scheduler.js";
import { enableQuickAdd } from "./add-entries.js";
import { drawFrame } from "./list-frame.js";
import { enableQuantityButtons } from "./quantity-buttons.js";
import { ListRenderer } from "./list-renderer.js";
import { LiveUpdates } from "./live-updates.js";
import { enableOffers } from "./offers.js";
import { enableReordering } from "./manual-order.js";
import { preparePage } from "./page-setup.js";
import { enableQuestionBar } from "./question-bar.js";
import { enableEditSheet } from "./edit-sheet.js";
import { LIST, State } from "./list-state.js";
import { toggleEntry } from "./tick-entry.js";
import { enableTripEnd, putAway } from "./trip-end.js";
import { enableUsualThings } from "./usual-things.js";

const BEHAVIOURS = [
  enableQuickAdd,
  enableOffers,
  enableUsualThings,
  enableQuantityButtons,
  enableEditSheet,
  enableReordering,
  enableTripEnd,
  enableQuestionBar,
];
const FOLDS_AFTER = 4000;
const LOOKS_AGAIN = 400;

/**
 * `<shopping-list>`: drawn from the cache of the phone, so that it works without a connection. A row that the
 * person may be about to tap keeps its position: a purchased row folds away once the list is idle.
 */
export class ShoppingList extends HTMLElement {
  state = new State(JSON.parse(this.dataset.now ?? "{}"), () => this.draw());
  liveUpdates = new LiveUpdates(this.state);
  stirred = -FOLDS_AFTER;
  #timer = 0;

  connectedCallback() {
    preparePage(this);
    document.addEventListener("homeshelf:change", (event) => {
      this.stir();
      this.liveUpdates.handleChange(/** @type {CustomEvent} */ (event).detail);
    });
    for (const kind of ["pointerdown", "keydown"]) this.addEventListener(kind, () => this.stir());
    this.addEventListener("submit", (event) => this.#sent(event));
    for (const behaviour of BEHAVIOURS) behaviour(this);
    addEventListener("popstate", () => this.draw(true));
    document.querySelector(".shops")?.addEventListener("click", (event) => this.#go(/** @type {MouseEvent} */ (event)));
    this.draw(true);
    this.#open();
  }

  /** The current store, or "" for all. */
  get at() {
    const asked = new URLSearchParams(location.search).get("at") ?? "";
    return this.state.kept.stores.some(({ storeId }) => storeId === asked) ? asked : "";
  }

  /** Delay the folding of rows, because the list is in use. */
  stir() {
    this.stirred = performance.now();
  }

  /** @param {boolean} [isRequested] the person asked for it, so every row may move */
  draw(isRequested = false) {
    clearTimeout(this.#timer);
    const { state, at } = this;
    const list = state.shown;
    const isFree = isRequested || isIdle();
    const folds = isRequested || (isFree && performance.now() - this.stirred >= FOLDS_AFTER);
    const waits = new ListRenderer(this, list, { at, own: state.own, isFree, folds }).draw();
    drawFrame(this, list, at);
    this.dispatchEvent(new CustomEvent("homeshelf:drawn", { detail: list }));
    this.liveUpdates.checkEntries();
    if (waits) this.#timer = setTimeout(() => this.draw(), LOOKS_AGAIN);
  }

  /** Scroll to new rows and highlight them. @param {string[]} ids */
  show(ids) {
    for (const id of ids) {
      const row = this.querySelector(`li[id="${id}"]`);
      row?.scrollIntoView({ block: "nearest" });
      row?.classList.add("entry-new");
      setTimeout(() => row?.classList.remove("entry-new"), 1600);
    }
  }

  /** A page from the service worker may be older than the cached list. */
  async #open() {
    await ensureCurrentUser();
    if (navigator.serviceWorker?.controller) {
      await this.state.read();
      await this.liveUpdates.renew();
    } else await refreshCache(LIST, async () => this.state.kept);
  }

  /** Show another store, also without a connection. @param {MouseEvent} event */
  #go(event) {
    const link = /** @type {Element} */ (event.target).closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    this.draw(true);
    scrollTo(0, 0);
  }

  /** @param {SubmitEvent} event */
  #sent(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const row = form.closest("li");
    if (!row) return;
    if (form.matches(".tick")) overrideDefault(event, () => toggleEntry(this, row));
    if (form.matches(".away")) overrideDefault(event, () => putAway(this, row.id));
  }
}

customElements.define("shopping-list", ShoppingList);
