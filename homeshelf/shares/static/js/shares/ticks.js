import { PendingChanges } from "../queue/pending.js";
import { rowOf, showDone } from "./rows.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

const KIND = "share.tick";
const PATIENCE = 3000; // a tick that takes longer has no signal

/** The ticks of a shared list that the server has not stored yet. */
export class Ticks {
  /** @type {Map<string, boolean>} what is wanted of the rows, by their ids */
  wanted = new Map();
  #timer = 0;

  /** @param {import("./list.js").SharedList} list */
  constructor(list) {
    this.list = list;
    /** @param {import("../queue/change.js").Change} change */
    const isOurs = ({ kind, path }) => kind === KIND && path.startsWith(`${list.api}/`);
    this.pending = new PendingChanges(isOurs, () => this.draw(), { owner: ["", ""] });
    this.pending.read();
  }

  /** @param {HTMLElement} row */
  press(row) {
    const { list } = this;
    const checked = !(this.wanted.get(row.id) ?? row.matches(".entry-done"));
    const body = checked ? { checked, checkedBy: list.dataset.who || null } : { checked };
    const label = row.dataset.name ?? "";
    const path = `${list.api}/items/${row.id}`;
    const draft = { kind: KIND, about: row.id, label, method: "PATCH", path, body, seen: null };
    this.pending.act([{ who: "", family: "", ...draft }]);
  }

  draw() {
    const before = this.wanted;
    this.wanted = new Map(this.pending.changes.map(({ about, body }) => [about, body?.checked]));
    this.show();
    for (const [id, done] of before) if (!this.wanted.has(id)) this.#settled(id, done);
    if (this.wanted.size) this.#timer ||= setTimeout(() => this.wanted.size && toast(words("ticksKept")), PATIENCE);
    else this.#timer = clearTimeout(this.#timer) ?? 0;
  }

  /** Show the pending ticks on the rows. */
  show() {
    for (const [id, done] of this.wanted) {
      const row = rowOf(this.list, id);
      if (row) mark(row, done);
    }
  }

  /** Show a stored tick, and refresh the row in case it was refused. @param {string} id @param {boolean} done */
  #settled(id, done) {
    const row = rowOf(this.list, id);
    if (row) settle(row, done);
    this.list.count();
    this.list.refresh(id);
  }
}

/**
 * A row with a pending tick looks half done. A row with a pending untick looks open, whatever
 * the server says about the tick before.
 * @param {HTMLElement} row @param {boolean} done
 */
function mark(row, done) {
  if (!done) showDone(row, false);
  row.classList.add("entry-pending");
  row.classList.toggle("entry-ticking", done);
  row.querySelector(".tick-row")?.setAttribute("aria-busy", "true");
}

/** @param {HTMLElement} row @param {boolean} done */
function settle(row, done) {
  row.classList.remove("entry-pending", "entry-ticking");
  row.querySelector(".tick-row")?.removeAttribute("aria-busy");
  showDone(row, done);
}
