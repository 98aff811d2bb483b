// The items counted on this page, the last one first, each with an undo button.
import { formatAmount } from "../amount.js";
import { showPicture } from "../shopping/picture.js";
import { words } from "../words.js";

/**
 * @typedef {import("./stock.js").Stock} Stock
 * @typedef {import("./stock.js").CountedItem} CountedItem
 */
const NOTICE_DELAY = 2000; // changes that are sent faster need no notice

export class CountedRows {
  /** @type {CountedItem[]} */
  #taken = [];
  #timer = 0;

  /** @param {HTMLElement} page @param {Stock} stock @param {(taken: CountedItem) => void} undo */
  constructor(page, stock, undo) {
    this.stock = stock;
    this.list = /** @type {HTMLElement} */ (page.querySelector(".taken"));
    this.waits = /** @type {HTMLElement} */ (page.querySelector(".taken-waiting"));
    this.row = /** @type {HTMLTemplateElement} */ (document.getElementById("taken-row"));
    this.list.addEventListener("click", ({ target }) => {
      const row = /** @type {Element} */ (target).closest("button")?.closest("li");
      const taken = this.#taken.find(({ item }) => item.itemId === row?.id);
      if (!taken) return;
      this.subtract([taken]);
      undo(taken);
      page.querySelector("input")?.focus();
    });
  }

  /** Add counts; an item that was counted before keeps one row. @param {CountedItem[]} taken */
  add(taken) {
    for (const each of taken) {
      const before = this.#taken.find(({ item }) => item.itemId === each.item.itemId);
      this.#taken = this.#taken.filter((other) => other !== before);
      const isNew = before?.isNew ?? each.isNew;
      this.#taken.unshift({ item: before?.item ?? each.item, count: (before?.count ?? 0) + each.count, isNew });
    }
    this.draw();
  }

  /** @param {CountedItem[]} taken */
  subtract(taken) {
    for (const { item, count } of taken) {
      const rows = this.#taken.map((each) => {
        return each.item.itemId === item.itemId ? { ...each, count: each.count - count } : each;
      });
      this.#taken = rows.filter((each) => each.count > 0);
    }
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.#taken.map((each) => this.#rowOf(each)));
    this.#updateNotice();
    this.list.closest("section")?.toggleAttribute("hidden", !this.#taken.length && !this.stock.unsent);
  }

  /** @param {CountedItem} taken */
  #rowOf({ item, count }) {
    const old = document.getElementById(item.itemId);
    const row = old ?? /** @type {HTMLElement} */ (this.row.content.firstElementChild?.cloneNode(true));
    const now = this.stock.count(item);
    row.id = item.itemId;
    row.toggleAttribute("data-waiting", now.isWaiting);
    showPicture(row.querySelector(".picture"), item.name, this.stock.picture(item.name, item.picture));
    const small = words("takenNow", { count: formatAmount(now.count, item.unit) });
    const texts = { ".taken-name": item.name, small, ".row-count": formatAmount(`+${count}`, item.unit) };
    for (const [place, text] of Object.entries(texts)) {
      const found = row.querySelector(place);
      if (found && found.textContent !== text) found.textContent = text;
    }
    row.querySelector("button")?.setAttribute("aria-label", words("undoTaken", { name: item.name }));
    return row;
  }

  /** Show the notice about pending changes after a delay. */
  #updateNotice() {
    clearTimeout(this.#timer);
    const show = () => (this.waits.hidden = !this.stock.unsent);
    if (this.stock.unsent && this.waits.hidden) this.#timer = setTimeout(show, NOTICE_DELAY);
    else show();
  }
}
