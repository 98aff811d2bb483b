// The progress bar of items that were added together and are being sent.
import { words } from "../words.js";

/** @typedef {import("./stock.js").CountedItem} CountedItem */
export class Progress {
  /** @type {string[]} */
  #ids = [];

  /** @param {HTMLElement} page @param {import("./stock.js").Stock} stock */
  constructor(page, stock) {
    this.stock = stock;
    this.place = /** @type {HTMLElement} */ (page.querySelector(".take-progress"));
  }

  /** @param {CountedItem[]} taken */
  watch(taken) {
    const added = taken.filter(({ isNew }) => isNew).map(({ item }) => item.itemId);
    this.#ids = [...this.#ids, ...added];
    this.draw();
  }

  draw() {
    const waiting = this.stock.waiting;
    const left = this.#ids.filter((id) => waiting.has(id)).length;
    if (!left) this.#ids = [];
    this.place.hidden = !left;
    const [total, done] = [this.#ids.length, this.#ids.length - left];
    const [bar, line] = [this.place.querySelector("progress"), this.place.querySelector("p")];
    if (bar) [bar.max, bar.value] = [total || 1, done];
    if (line) line.textContent = words("takenProgress", { done, total });
  }
}
