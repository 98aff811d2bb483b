import { instead } from "../instead.js";
import { addQuickly } from "./adding.js";
import { putAway, tick } from "./changing.js";
import { foldLater } from "./folding.js";
import { hear } from "./following.js";

/**
 * `<shopping-list>`: ticks at once, lets one undo, and shows what others do without moving what a
 * thumb is about to hit: a bought row stays where it is until the list was left alone for a while.
 */
class ShoppingList extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => this.sent(event));
    document.addEventListener("homeshelf:change", (event) => hear(this, /** @type {CustomEvent} */ (event).detail));
    foldLater(this);
    addQuickly(this);
  }

  /** @param {SubmitEvent} event */
  sent(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const row = form.closest("li");
    if (!row) return;
    if (form.matches(".tick")) instead(event, () => tick(this, row));
    if (form.matches(".away")) instead(event, () => putAway(this, row, !form.elements.namedItem("undo")));
  }
}

customElements.define("shopping-list", ShoppingList);
