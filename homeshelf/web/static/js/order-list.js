import { getPage, send } from "./api.js";
import { toast } from "./toast.js";
import { listenTo } from "./stream.js";

const PAUSE = 400;
const EDGE = 72;

/** `<order-list>`: rows move by dragging their grip, by the arrow keys on it, and by their buttons. */
class OrderList extends HTMLElement {
  timer = 0;
  saving = false;
  /** @type {HTMLElement | null} */
  moving = null;
  /** @type {string[]} */
  saved = [];

  connectedCallback() {
    this.prepare();
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = /** @type {HTMLButtonElement} */ (event.submitter);
      this.step(/** @type {HTMLElement} */ (button.closest("li")), button.value === "up" ? -1 : 1, button);
    });
    this.addEventListener("keydown", (event) => {
      const grip = /** @type {HTMLElement} */ (event.target).closest(".grip");
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!(grip instanceof HTMLElement) || !by) return;
      event.preventDefault();
      this.step(/** @type {HTMLElement} */ (grip.closest("li")), by, grip);
    });
    this.addEventListener("pointerdown", (event) => this.grab(event));
    this.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) this.addEventListener(kind, () => this.drop());
    addEventListener("pagehide", () => this.timer && this.save(true));
    listenTo(`homeshelf:${this.dataset.list}`, `/api/v1/shareables/${this.dataset.list}/events`, this.dataset.since ?? "", () => this.heard(), () => this.resync());
  }

  get rows() {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("li"))];
  }

  get ids() {
    return this.rows.map((row) => row.id);
  }

  prepare() {
    this.saved = this.ids;
    for (const grip of this.querySelectorAll(".grip")) grip.removeAttribute("hidden");
    this.ends();
  }

  /** @param {HTMLElement} row @param {number} by @param {HTMLElement} focus */
  step(row, by, focus) {
    const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (by < 0) other.before(row);
    else other.after(row);
    this.ends();
    const disabled = focus instanceof HTMLButtonElement && focus.disabled;
    const next = disabled ? row.querySelector(".grip") : focus;
    if (next instanceof HTMLElement) next.focus();
    this.moved(row);
  }

  /** @param {PointerEvent} event */
  grab(event) {
    const grip = /** @type {HTMLElement} */ (event.target).closest(".grip");
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    this.moving = grip.closest("li");
    this.moving?.classList.add("order-moving");
    this.setPointerCapture(event.pointerId); // the row itself leaves its place, and would lose it
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const row = this.moving;
    if (!row) return;
    const above = this.rows.find((each) => each !== row && event.clientY < middle(each));
    if (above ? above.previousElementSibling !== row : row.nextElementSibling) {
      if (above) above.before(row);
      else row.parentElement?.append(row);
    }
    if (event.clientY < EDGE) scrollBy(0, -EDGE / 4);
    if (event.clientY > innerHeight - EDGE) scrollBy(0, EDGE / 4);
  }

  drop() {
    const row = this.moving;
    if (!row) return;
    this.moving = null;
    row.classList.remove("order-moving");
    this.ends();
    if (this.ids.join() !== this.saved.join()) this.moved(row);
  }

  /** @param {HTMLElement} row */
  moved(row) {
    const status = this.querySelector("[role=status]");
    if (status) status.textContent = `${row.dataset.name} is now ${this.rows.indexOf(row) + 1} of ${this.rows.length}`;
    this.classList.add("order-unsafe");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
  }

  /** @returns {Promise<void>} */
  async save(leaving = false) {
    if (this.saving && !leaving) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.saving = true;
    const ids = this.ids;
    const answer = await send("PUT", `/api/v1/shareables/${this.dataset.list}/order`, { checklistItemIds: ids });
    this.saving = false;
    if (answer.ok) {
      this.saved = ids;
      if (this.ids.join() !== ids.join()) return this.save();
      return this.classList.remove("order-unsafe");
    }
    this.classList.remove("order-unsafe");
    if ([401, 403, 404, 410].includes(answer.status)) return location.reload();
    for (const id of this.saved) this.querySelector("ul")?.append(/** @type {Node} */ (document.getElementById(id)));
    this.ends();
    if (!answer.isHeard) return toast("No signal: the order was not saved.");
    toast("Somebody changed the list meanwhile. Here is how it is now.");
    this.resync();
  }

  heard() {
    if (!this.moving && !this.timer && !this.saving) this.resync();
  }

  /** As the list is now, unless that is what is here. */
  async resync() {
    const answer = await getPage(location.href);
    if (answer.isHeard && !answer.ok) return location.reload();
    const fresh = answer.page.querySelector("order-list ul");
    if (!fresh || this.moving || this.timer || this.saving) return;
    const same = [...fresh.children].map((row) => row.id + row.textContent).join();
    if (same === this.rows.map((row) => row.id + row.textContent).join()) return;
    this.querySelector("ul")?.replaceWith(fresh);
    this.prepare();
  }

  /** The first cannot go up, nor the last down. */
  ends() {
    const rows = this.rows;
    for (const [at, row] of rows.entries()) {
      row.querySelector("[value=up]")?.toggleAttribute("disabled", at === 0);
      row.querySelector("[value=down]")?.toggleAttribute("disabled", at === rows.length - 1);
    }
  }
}

/** @param {HTMLElement} row */
function middle(row) {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}

customElements.define("order-list", OrderList);
