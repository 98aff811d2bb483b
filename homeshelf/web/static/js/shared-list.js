import { getPage, send } from "./api.js";
import { toast } from "./toast.js";
import { listenTo } from "./stream.js";

const CALM = 700;
const LISTEN_AGAIN = 20_000;
const SHUT = [401, 404, 410];

/**
 * `<shared-list>`: ticks at once and shows what others tick. A tick that is not safe yet looks so, and
 * one that could not be sent is taken back and says so.
 */
class SharedList extends HTMLElement {
  touched = 0;
  waiting = 0;
  /** @type {Map<string, boolean>} what is wanted of the rows whose tick is on its way */
  wanted = new Map();
  /** @type {Map<string, number>} */
  asked = new Map();

  connectedCallback() {
    if ("over" in this.dataset) return;
    if (location.pathname !== this.path) history.replaceState(null, "", this.path);
    this.addEventListener("submit", (event) => this.instead(event, () => this.press(event)));
    this.addEventListener("pointerdown", () => (this.touched = performance.now()));
    this.addEventListener("keydown", (event) => this.walk(event));
    const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".share-add"));
    form?.addEventListener("submit", (event) => this.instead(event, () => this.add(form)));
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
    listenTo(`homeshelf:${this.dataset.list}`, `${this.api}/events`, this.dataset.since ?? "", (change) => this.heard(change), ended);
  }

  /** @param {Event} event @param {() => unknown} act */
  instead(event, act) {
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  /** @param {Event} event */
  press(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest("li");
    if (!row) return;
    const sending = this.wanted.has(row.id);
    const now = this.wanted.get(row.id) ?? row.classList.contains("entry-done");
    this.wanted.set(row.id, !now);
    this.mark(row, !now);
    if (!sending) this.send(row.id);
  }

  /** Until nothing else is wanted of the row. @param {string} id */
  async send(id) {
    for (let sent; sent !== this.wanted.get(id); ) {
      sent = this.wanted.get(id);
      const body = sent ? { checked: true, checkedBy: this.dataset.who || null } : { checked: false };
      const answer = await send("PATCH", `${this.api}/items/${id}`, body);
      if (SHUT.includes(answer.status)) return this.shut(id, answer.status);
      if (!answer.ok) return this.failed(id, answer.says());
    }
    const row = this.row(id);
    if (row) settle(row, Boolean(this.wanted.get(id)));
    this.wanted.delete(id);
    this.count();
    this.refresh(id);
  }

  /** A row whose tick is on its way looks neither done nor not. @param {HTMLElement} row @param {boolean} done */
  mark(row, done) {
    row.classList.add("entry-unsafe");
    row.classList.toggle("entry-ticking", done);
    row.querySelector(".tick-row")?.setAttribute("aria-busy", "true");
    row.querySelector(".unsaved")?.toggleAttribute("hidden", true);
  }

  /** @param {string} id @param {string} says */
  failed(id, says) {
    this.wanted.delete(id);
    const row = this.row(id);
    if (row) {
      settle(row, row.classList.contains("entry-done"));
      row.querySelector(".unsaved")?.toggleAttribute("hidden", false);
    }
    toast(says, { undo: () => row?.querySelector("form")?.requestSubmit(), word: "Try again" });
  }

  /** The thing is gone, or the whole list is. @param {string} id @param {number} status */
  shut(id, status) {
    this.wanted.delete(id);
    if (status === 404) this.resync();
    else location.reload();
  }

  /** @param {HTMLFormElement} form */
  async add(form) {
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("name"));
    const typed = input.value.trim();
    if (!typed || form.dataset.busy) return;
    form.dataset.busy = "1";
    const answer = await send("POST", `${this.api}/items`, { name: typed });
    delete form.dataset.busy;
    if (!answer.ok) return toast(answer.says("No signal: that was not added."));
    if (input.value.trim() === typed) input.value = "";
    input.focus();
    await this.resync();
    this.querySelector("li:last-child")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {import("./stream.js").Change} change */
  heard(change) {
    if (change.type === "checklist_item" && change.version !== null && this.row(change.id)) this.refresh(change.id);
    else this.soon();
  }

  soon() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.resync(), 100);
  }

  /** One row as it is now. @param {string} id */
  async refresh(id) {
    const turn = (this.asked.get(id) ?? 0) + 1;
    this.asked.set(id, turn);
    const answer = await getPage(`${this.path}/items/${id}/row`);
    if (answer.isHeard && !answer.ok) return this.soon();
    const fresh = answer.page.querySelector("li");
    const row = this.row(id);
    if (!fresh || !row || this.wanted.has(id) || this.asked.get(id) !== turn) return;
    const focused = row.contains(document.activeElement);
    row.replaceWith(fresh);
    if (focused) fresh.querySelector("button")?.focus();
    this.count();
  }

  /** The whole list as it is now: not under a thumb, and not while a tick is on its way. */
  async resync() {
    const busy = this.wanted.size > 0 || performance.now() - this.touched < CALM;
    if (busy) return this.soon();
    const answer = await getPage(this.path);
    if (SHUT.includes(answer.status)) return location.reload();
    const { page } = answer;
    const fresh = answer.ok ? page.querySelector("shared-list") : null;
    if (!fresh || this.wanted.size) return;
    const focused = document.activeElement?.closest("shared-list li")?.id;
    this.replaceChildren(...fresh.childNodes);
    document.title = page.title;
    if (focused) this.row(focused)?.querySelector("button")?.focus();
  }

  /** @param {string} id @returns {HTMLElement | null} */
  row(id) {
    return this.querySelector(`li[id="${id}"]`);
  }

  count() {
    const done = this.querySelector(".done-count");
    if (done) done.textContent = String(this.querySelectorAll("li.entry-done").length);
  }

  /** Arrows go from row to row. @param {KeyboardEvent} event */
  walk(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const rows = [.../** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".tick-row"))];
    const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (!step || at < 0) return;
    event.preventDefault();
    rows[at + step]?.focus();
  }
}

/** @param {HTMLElement} row @param {boolean} done */
function settle(row, done) {
  row.classList.remove("entry-unsafe", "entry-ticking");
  row.classList.toggle("entry-done", done);
  const button = row.querySelector(".tick-row");
  button?.setAttribute("aria-pressed", String(done));
  button?.removeAttribute("aria-busy");
}

customElements.define("shared-list", SharedList);
