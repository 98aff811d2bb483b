// The ready-made pantry: tiles to tick, and a button with their number.
import { overrideDefault } from "../override-default.js";
import { foldName } from "../typing/names.js";
import { pluralize } from "../words.js";

/** @typedef {import("./stock.js").Stock} Stock */

export class Pantry {
  /** @param {Element} page @param {Stock} stock @param {(text: string) => void} add called with the ticked lines */
  constructor(page, stock, add) {
    this.stock = stock;
    this.form = /** @type {HTMLFormElement | null} */ (page.querySelector(".take-pantry form"));
    for (const tile of this.#tiles)
      stock.pictures.set(foldName(tile.dataset.name ?? ""), tile.querySelector(".picture")?.textContent ?? "");
    this.form?.addEventListener("change", () => this.#count());
    this.form?.addEventListener("submit", (event) =>
      overrideDefault(event, () => add(this.#ticked.map(({ value }) => value).join("\n"))),
    );
  }

  /** Mark what is in the stock, and count what is ticked. */
  draw() {
    const { things } = this.stock.names;
    for (const tile of this.#tiles) {
      const isThere = things.has(foldName(tile.dataset.name ?? ""));
      const box = /** @type {HTMLInputElement} */ (tile.querySelector("input"));
      if (box.disabled !== isThere) box.checked = box.disabled = isThere;
      tile.querySelector("small")?.toggleAttribute("hidden", !isThere);
    }
    this.#count();
  }

  #count() {
    const button = this.form?.querySelector("button");
    if (!button) return;
    button.textContent = pluralize("addAll", this.#ticked.length);
    button.disabled = !this.#ticked.length;
  }

  /** @returns {HTMLElement[]} */
  get #tiles() {
    return [...(this.form?.querySelectorAll("label") ?? [])];
  }

  /** @returns {HTMLInputElement[]} */
  get #ticked() {
    return [...(this.form?.querySelectorAll("input") ?? [])].filter((box) => box.checked && !box.disabled);
  }
}
