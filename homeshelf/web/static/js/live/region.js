import { keepScrollPosition, isIdle } from "./activity.js";
import { isInUse, morph } from "./morph.js";

/**
 * `<live-region id="shelf" data-on="Thing Shelf">`: a part of a page that is fetched
 * again when a record of such a kind has changed (`Kind:id` for one alone), and becomes what it is by
 * then. It waits while somebody touches the page or writes in it. `data-from` is where it stands,
 * for a page that is also the answer to a form.
 */
export class LiveRegion extends HTMLElement {
  heard = 0;
  shown = 0;

  get isStale() {
    return this.isConnected && this.heard > this.shown;
  }

  /** Whether what it shows may move. */
  get isFree() {
    const writing = this.querySelector(":is(input, textarea, select):focus, details.menu[open]");
    return isIdle() && !writing;
  }

  /** @param {import("./stream.js").Change} change */
  shows({ type, id }) {
    const kinds = (this.dataset.on ?? "").split(" ");
    return type === "reset" || kinds.includes(type) || kinds.includes(`${type}:${id}`);
  }

  /** @param {Document} page @param {number} heard how much it had heard when the page was asked for */
  become(page, heard) {
    if (!this.isFree) return;
    this.shown = heard;
    const fresh = page.getElementById(this.id);
    if (!fresh) return loadAnew();
    keepScrollPosition(() => morph(this, fresh));
    this.dispatchEvent(new CustomEvent("homeshelf:renewed", { bubbles: true }));
  }
}

/** The page is not there any more, or not for them; unless something would be lost, that shows. */
function loadAnew() {
  if (![...document.forms].some(isInUse)) location.reload();
}

customElements.define("live-region", LiveRegion);
