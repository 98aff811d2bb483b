import { send } from "../api.js";
import { rowOf, showDone } from "../rows.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

export const SHUT = [401, 404, 410];

/** The ticks that are on their way from a shared list. */
export class Ticks {
  /** @type {Map<string, boolean>} what is wanted of the rows whose tick is on its way */
  wanted = new Map();

  /** @param {import("./list.js").SharedList} list */
  constructor(list) {
    this.list = list;
  }

  /** @param {HTMLElement} row */
  press(row) {
    const isSending = this.wanted.has(row.id);
    const done = !(this.wanted.get(row.id) ?? row.matches(".entry-done"));
    this.wanted.set(row.id, done);
    mark(row, done);
    if (!isSending) this.send(row.id);
  }

  /** Until nothing else is wanted of the row. @param {string} id */
  async send(id) {
    const { api, dataset } = this.list;
    for (let sent; sent !== this.wanted.get(id); ) {
      sent = this.wanted.get(id);
      const body = sent ? { checked: true, checkedBy: dataset.who || null } : { checked: false };
      const answer = await send("PATCH", `${api}/items/${id}`, body);
      if (SHUT.includes(answer.status)) return this.shut(id, answer.status);
      if (!answer.ok) return this.failed(id, answer.says());
    }
    const row = rowOf(this.list, id);
    if (row) settle(row, Boolean(this.wanted.get(id)));
    this.wanted.delete(id);
    this.list.count();
    this.list.refresh(id);
  }

  /** @param {string} id @param {string} says */
  failed(id, says) {
    this.wanted.delete(id);
    const row = rowOf(this.list, id);
    if (row) settle(row, row.matches(".entry-done"));
    row?.querySelector(".unsaved")?.toggleAttribute("hidden", false);
    toast(says, { undo: () => row?.querySelector("form")?.requestSubmit(), word: words("tryAgain") });
  }

  /** The thing is gone, or the whole list is. @param {string} id @param {number} status */
  shut(id, status) {
    this.wanted.delete(id);
    if (status === 404) this.list.resync();
    else location.reload();
  }
}

/** A row whose tick is on its way looks neither done nor not. @param {HTMLElement} row @param {boolean} done */
function mark(row, done) {
  row.classList.add("entry-unsafe");
  row.classList.toggle("entry-ticking", done);
  row.querySelector(".tick-row")?.setAttribute("aria-busy", "true");
  row.querySelector(".unsaved")?.toggleAttribute("hidden", true);
}

/** @param {HTMLElement} row @param {boolean} done */
function settle(row, done) {
  row.classList.remove("entry-unsafe", "entry-ticking");
  row.querySelector(".tick-row")?.removeAttribute("aria-busy");
  showDone(row, done);
}
