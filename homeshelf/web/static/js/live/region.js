import { keepScrollPosition, isIdle } from "./activity.js";
import { isInUse, morph } from "./morph.js";

/**
 * `<live-region id="shelf" data-on="Thing Shelf">`: a part of a page that is refreshed when a record of these kinds
 * changes (`Kind:id` for one record). It waits while the user touches the page or types. `data-from` is the URL to
 * fetch if the page is the response to a form.
 */
export class LiveRegion extends HTMLElement {
  heard = 0;
  shown = 0;

  get isStale() {
    return this.isConnected && this.heard > this.shown;
  }

  /** Return whether its content may move. */
  get isFree() {
    const writing = this.querySelector(":is(input, textarea, select):focus, details.menu[open]");
    return isIdle() && !writing;
  }

  /** @param {import("./stream.js").Change} change */
  shows({ type, id }) {
    const kinds = (this.dataset.on ?? "").split(" ");
    return type === "reset" || kinds.includes(type) || kinds.includes(`${type}:${id}`);
  }

  /** @param {Document} page @param {number} heard the number of changes heard when the page was requested */
  become(page, heard) {
    if (!this.isFree) return;
    this.shown = heard;
    const fresh = page.getElementById(this.id);
    if (!fresh) return loadAnew();
    keepScrollPosition(() => morph(this, fresh));
    this.dispatchEvent(new CustomEvent("homeshelf:renewed", { bubbles: true }));
  }
}

/** Reload a page that is gone or forbidden, unless unsaved input would be lost. */
function loadAnew() {
  if (![...document.forms].some(isInUse)) location.reload();
}

customElements.define("live-region", LiveRegion);
