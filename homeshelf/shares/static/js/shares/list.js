import { overrideDefault } from "../override-default.js";
import { subscribe } from "../live/stream.js";
import { morph } from "../live/morph.js";
import { moveFocus } from "../order/arrow-keys.js";
import { freshRow, renew, rowOf } from "./rows.js";
import { add } from "./adding.js";
import { Ticks } from "./ticks.js";

const CALM = 700;
const LISTEN_AGAIN = 20_000;
const SHUT = [401, 404, 410];

/**
 * `<shared-list>`: ticks items at once, online or offline, and shows the ticks of others. A tick that
 * the server has not stored yet looks different.
 */
export class SharedList extends HTMLElement {
  /** @type {Ticks | null} */
  ticks = null;
  touched = 0;
  waiting = 0;
  /** @type {Map<string, number>} */
  asked = new Map();

  connectedCallback() {
    if ("over" in this.dataset) return;
    this.ticks = new Ticks(this);
    if (location.pathname !== this.path) history.replaceState(null, "", this.path);
    this.addEventListener("submit", (event) => {
      const row = /** @type {Element} */ (event.target).closest("li");
      overrideDefault(event, () => row && this.ticks?.press(row));
    });
    this.addEventListener("pointerdown", () => (this.touched = performance.now()));
    this.addEventListener("keydown", (event) => moveFocus(this, event));
    const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".share-add"));
    form?.addEventListener("submit", (event) => overrideDefault(event, () => add(this, form)));
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    this.listen();
  }

  get path() {
    return `/s/${this.dataset.list}`;
  }

  get api() {
    return `/api/v1/shareables/${this.dataset.list}`;
  }

  listen() {
    const ended = () => (this.resync(), setTimeout(() => this.listen(), LISTEN_AGAIN));
    const { list, since = "" } = this.dataset;
    subscribe(`homeshelf:${list}`, `${this.api}/events`, since, (change) => this.heard(change), ended);
  }

  /** @param {import("../live/stream.js").Change} change */
  heard({ type, id, version }) {
    if (type === "checklist_item" && version !== null && rowOf(this, id)) this.refresh(id);
    else this.soon();
  }

  soon() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.resync(), 100);
  }

  /** Refresh one row. @param {string} id */
  async refresh(id) {
    const turn = (this.asked.get(id) ?? 0) + 1;
    this.asked.set(id, turn);
    const { answer, fresh } = await freshRow(`${this.path}/items/${id}/row`);
    if (answer.isHeard && !answer.ok) return this.soon();
    const row = rowOf(this, id);
    if (!fresh || !row || this.asked.get(id) !== turn) return;
    morph(row, fresh);
    this.ticks?.show();
    this.count();
  }

  /** Refresh the whole list, unless the person is touching it. */
  async resync() {
    if (performance.now() - this.touched < CALM) return this.soon();
    const answer = await renew(this, this.path);
    this.ticks?.show();
    if (SHUT.includes(answer.status)) location.reload();
  }

  count() {
    const done = this.querySelector(".done-count");
    if (done) done.textContent = String(this.querySelectorAll("li.entry-done").length);
  }
}

customElements.define("shared-list", SharedList);
