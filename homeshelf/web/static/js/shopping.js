import { getPage, post, send } from "./api.js";
import { toast } from "./toast.js";

const API = "/api/v1/shopping-list";
const CALM = 4000;

/**
 * `<shopping-list>`: ticks at once, lets one undo, and shows what others do without moving what a
 * thumb is about to hit: a bought row stays where it is until the list was left alone for a while.
 */
class ShoppingList extends HTMLElement {
  calm = 0;

  connectedCallback() {
    this.addEventListener("submit", (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      const entry = form.closest("li");
      if (!entry) return;
      if (form.matches(".tick")) this.stop(event, () => this.tick(entry));
      if (form.matches(".away")) this.stop(event, () => this.putAway(entry, !form.elements.namedItem("undo")));
    });
    this.addEventListener("pointerdown", () => this.wait());
    document.addEventListener("homeshelf:change", (event) => this.heard(/** @type {CustomEvent} */ (event).detail));
    const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".quick-add"));
    form?.addEventListener("submit", (event) => this.stop(event, () => this.add(form)));
    this.question = /** @type {HTMLDialogElement | null} */ (document.getElementById("again"));
  }

  /** @param {Event} event @param {() => unknown} instead */
  stop(event, instead) {
    event.preventDefault();
    event.stopImmediatePropagation();
    instead();
  }

  /** @param {HTMLElement} entry */
  async tick(entry) {
    const done = entry.dataset.status !== "purchased";
    this.mark(entry, done);
    const name = entry.dataset.name;
    toast(done ? `Bought ${name}.` : `${name} is back on the list.`, { undo: () => this.tick(entry) });
    const answer = await this.send(entry, `${API}/${entry.id}/status`, "PATCH", { status: done ? "purchased" : "pending" });
    if (answer?.version) entry.dataset.version = answer.version;
    else await this.refresh(entry.id);
    this.wait();
  }

  /** @param {HTMLElement} entry @param {boolean} away */
  async putAway(entry, away) {
    const answer = await this.send(entry, `${API}/${entry.id}/put-away`, away ? "POST" : "DELETE", {});
    if (answer?.shoppingItem && away)
      toast(`Put away: ${answer.item.quantity} ${answer.item.name} now.`, { undo: () => this.putAway(this.find(entry.id) ?? entry, false) });
    await this.refresh(entry.id);
  }

  /** @param {HTMLElement} entry @param {boolean} done */
  mark(entry, done) {
    entry.dataset.status = done ? "purchased" : "pending";
    entry.classList.toggle("entry-done", done);
    entry.querySelector(".tick-row")?.setAttribute("aria-pressed", String(done));
  }

  /**
   * One change, under the version that is shown. What is not yet safe looks paler.
   * @param {HTMLElement} entry @param {string} url @param {string} method @param {object} body
   */
  async send(entry, url, method, body) {
    entry.classList.add("entry-unsafe");
    const answer = await send(method, url, { ...body, version: Number(entry.dataset.version) });
    entry.classList.remove("entry-unsafe");
    if (answer.ok) return answer.body;
    if (answer.body.code !== "version_conflict") toast(answer.says());
    return null;
  }

  /** @param {HTMLFormElement} form @param {boolean} [force] */
  async add(form, force = false) {
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("text"));
    const typed = input.value;
    if (!typed.trim()) return;
    const body = new URLSearchParams();
    new FormData(form).forEach((value, name) => body.set(name, String(value)));
    if (force) body.set("force", "1");
    input.value = "";
    input.focus();
    const answer = await post(form.action, body, { Accept: "application/json" });
    const { existing, shoppingItemId } = answer.body;
    if (existing) return this.ask(form, typed, existing);
    if (answer.ok) return this.refresh(shoppingItemId);
    input.value = typed;
    toast(answer.says("No signal: that was not added."));
  }

  /** @param {HTMLFormElement} form @param {string} typed @param {{name: string, quantity: number | null}} existing */
  ask(form, typed, existing) {
    const dialog = this.question;
    if (!dialog) return;
    const title = dialog.querySelector("h2");
    if (title) title.textContent = `${existing.name} is already on the list. Add another?`;
    const there = dialog.querySelector(".again-there");
    if (there) there.textContent = existing.quantity ? `${existing.quantity} × ${existing.name}` : existing.name;
    const button = /** @type {HTMLButtonElement} */ (dialog.querySelector("[data-again]"));
    button.onclick = () => {
      dialog.close();
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("text"));
      input.value = typed;
      this.add(form, true);
    };
    dialog.showModal();
  }

  /** @param {{type: string, id: string, version: number | null}} change */
  heard(change) {
    if (change.type === "reset") return this.resync();
    if (change.type !== "ShoppingListItem") return;
    const entry = this.find(change.id);
    if (change.version === null) return entry?.remove(), this.tidy();
    if (entry && change.version !== null && Number(entry.dataset.version) >= change.version) return;
    if (entry?.classList.contains("entry-unsafe")) return;
    this.refresh(change.id);
  }

  /** @param {string} id @returns {HTMLElement | null} */
  find(id) {
    return this.querySelector(`[id="${id}"]`);
  }

  /** The row as it is now, in its place. @param {string} id */
  async refresh(id) {
    const at = this.dataset.at;
    const answer = await getPage(`/list/${id}/row${at ? `?at=${at}` : ""}`);
    // From here on nothing waits: of two who refresh a new row, the second must find the first's.
    const entry = this.find(id);
    const fresh = answer.ok ? answer.page.querySelector("li") : null;
    if (answer.status === 404) entry?.remove();
    else if (fresh && entry && entry.dataset.store === fresh.dataset.store) entry.replaceWith(fresh);
    else if (fresh) {
      entry?.remove();
      this.place(fresh);
    }
    this.wait();
    this.tidy();
  }

  /** @param {HTMLElement} entry */
  place(entry) {
    const at = this.dataset.at;
    if (at && entry.dataset.store && entry.dataset.store !== at) return;
    if (entry.dataset.status === "purchased") return this.querySelector(".bought ul")?.prepend(entry);
    const list = this.querySelector(`.list-group[data-store="${entry.dataset.store}"] ul`);
    if (list) list.append(entry);
    else this.resync();
  }

  /** The whole list as it is now, where a row alone will not do: a store that had none so far. */
  async resync() {
    const answer = await getPage(location.href);
    const fresh = answer.ok ? answer.page.querySelector("shopping-list") : null;
    const open = this.querySelector(".bought")?.hasAttribute("open") ?? false;
    if (!fresh) return;
    this.replaceChildren(...fresh.childNodes);
    this.querySelector(".bought")?.toggleAttribute("open", open);
  }

  wait() {
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.settle(), CALM);
  }

  /** Once nobody touches the list, what was bought folds away and what is back returns. */
  settle() {
    for (const entry of this.querySelectorAll("li.entry")) {
      const row = /** @type {HTMLElement} */ (entry);
      const folded = Boolean(row.closest(".bought"));
      if (folded !== (row.dataset.status === "purchased")) this.refreshInto(row);
    }
  }

  /** @param {HTMLElement} row */
  async refreshInto(row) {
    row.remove();
    await this.refresh(row.id);
  }

  tidy() {
    for (const group of this.querySelectorAll(".list-group")) group.toggleAttribute("hidden", !group.querySelector("li"));
    const bought = this.querySelectorAll(".bought li").length;
    this.querySelector(".bought")?.toggleAttribute("hidden", bought === 0);
    const count = this.querySelector(".bought-count");
    if (count) count.textContent = String(bought);
    const open = this.querySelector(".list-group:not([hidden])");
    this.querySelector(".list-empty")?.toggleAttribute("hidden", Boolean(open));
  }
}

customElements.define("shopping-list", ShoppingList);
