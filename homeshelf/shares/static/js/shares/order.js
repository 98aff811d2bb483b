import { overrideDefault } from "../override-default.js";
import { subscribe } from "../live/stream.js";
import { Dragging } from "../order/dragging.js";
import { words } from "../words.js";
import { Saving } from "./saving.js";

/** `<order-list>`: moves rows by dragging their grip, by arrow keys and by buttons. */
export class OrderList extends HTMLElement {
  saving = new Saving(this);
  dragging = new Dragging(this, { rows: () => this.rows, dropped: (row) => this.dropped(row) });

  connectedCallback() {
    this.prepare();
    this.addEventListener("submit", (event) => {
      const button = /** @type {HTMLButtonElement} */ (event.submitter);
      overrideDefault(event, () => this.step(button, button.value === "up" ? -1 : 1));
    });
    this.addEventListener("keydown", (event) => {
      const grip = /** @type {Element} */ (event.target).closest(".grip");
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (grip instanceof HTMLElement && by) overrideDefault(event, () => this.step(grip, by));
    });
    addEventListener("pagehide", () => this.saving.leave());
    const { list, since = "" } = this.dataset;
    const path = `/api/v1/shareables/${list}/events`;
    subscribe(`homeshelf:${list}`, path, since, () => this.saving.heard(), () => this.saving.resync());
  }

  get rows() {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("li"))];
  }

  get ids() {
    return this.rows.map((row) => row.id);
  }

  /** Show the grips, which are hidden without scripts. */
  prepare() {
    this.saving.saved = this.ids;
    for (const grip of this.querySelectorAll(".grip")) grip.removeAttribute("hidden");
    this.ends();
  }

  /** @param {HTMLElement} pressed in the row that moves @param {number} by */
  step(pressed, by) {
    const row = /** @type {HTMLElement} */ (pressed.closest("li"));
    const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (by < 0) other.before(row);
    else other.after(row);
    this.ends();
    const next = pressed.matches(":disabled") ? row.querySelector(".grip") : pressed;
    /** @type {HTMLElement | null} */ (next)?.focus();
    this.moved(row);
  }

  /** @param {string[]} ids */
  arrange(ids) {
    for (const id of ids) this.querySelector("ul")?.append(/** @type {Node} */ (document.getElementById(id)));
    this.ends();
  }

  /** @param {HTMLElement} row */
  dropped(row) {
    this.ends();
    if (this.saving.isDue) this.moved(row);
  }

  /** @param {HTMLElement} row */
  moved(row) {
    const status = this.querySelector("[role=status]");
    const values = { name: row.dataset.name ?? "", place: this.rows.indexOf(row) + 1, total: this.rows.length };
    if (status) status.textContent = words("moved", values);
    this.saving.soon();
  }

  /** Disable moving the first row up and the last row down. */
  ends() {
    const rows = this.rows;
    for (const [at, row] of rows.entries()) {
      row.querySelector("[value=up]")?.toggleAttribute("disabled", at === 0);
      row.querySelector("[value=down]")?.toggleAttribute("disabled", at === rows.length - 1);
    }
  }
}

customElements.define("order-list", OrderList);
