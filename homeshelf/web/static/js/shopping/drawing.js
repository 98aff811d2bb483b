import { holdingStill } from "../live/calm.js";
import { rowsOf } from "./group.js";
import { grouped } from "./grouping.js";
import { moving } from "./moving.js";
import { fill, newRow } from "./row.js";

/**
 * @typedef {import("./shown.js").Entry} Entry
 * @typedef {import("./shown.js").List} List
 * @typedef {import("./grouping.js").Group} Group
 * @typedef {{at: string, own: Set<string>, isFree: boolean, folds: boolean}} Looking in which store somebody is,
 *   which entries they changed themselves, whether nobody touches the list, and whether what was bought may fold away
 */

/**
 * Draws the list from what is shown. What somebody may be about to hit stays where it is, unless they
 * moved it themselves; what moves, moves visibly.
 */
export class Drawing {
  /** Whether something waits until nobody touches the list. */
  waits = false;
  /** @type {Map<string, HTMLElement>} */
  rows = new Map();

  /** @param {HTMLElement} place @param {List} list @param {Looking} looking */
  constructor(place, list, { at, own, isFree, folds }) {
    this.place = place;
    this.own = own;
    this.folds = folds;
    this.isFree = isFree;
    this.here = { here: at ? `?at=${at}` : "", aside: list.aside ?? [] };
    const { groups, bought } = grouped(list, at);
    this.groups = groups;
    this.bought = bought;
    this.entries = new Map([...groups.flatMap((group) => group.entries), ...bought].map((each) => [each.shoppingItemId, each]));
    for (const row of place.querySelectorAll("li.entry")) this.rows.set(row.id, /** @type {HTMLElement} */ (row));
  }

  draw() {
    for (const [id, row] of this.rows) {
      const entry = this.entries.get(id);
      if (entry) fill(row, entry, this.here);
    }
    moving(this.place, () => holdingStill(() => this.#arrange()));
    return this.waits;
  }

  #arrange() {
    for (const [id, row] of this.rows) if (!this.entries.has(id) && this.#mayMove(id)) row.remove();
    const stores = this.groups.map(({ storeId }) => storeId);
    for (const [i, group] of this.groups.entries())
      this.#fillUp(rowsOf(this.place, group, stores.slice(i + 1)), group.entries);
    this.#fillUp(/** @type {Element} */ (this.place.querySelector(".bought ul")), this.bought);
    for (const group of this.place.querySelectorAll(".list-group")) if (!group.querySelector("li")) group.remove();
  }

  /** @param {Element} ul @param {Entry[]} entries that belong into it, in order */
  #fillUp(ul, entries) {
    const wanted = new Set(entries.map(({ shoppingItemId }) => shoppingItemId));
    let next = ul.firstElementChild;
    for (const entry of entries) {
      while (next && !wanted.has(next.id)) next = next.nextElementSibling; // it stays for now
      const row = this.rows.get(entry.shoppingItemId) ?? this.#newRow(entry);
      if (row && row === next) next = row.nextElementSibling;
      else if (row && this.#mayGo(row, entry)) ul.insertBefore(row, next);
      wanted.delete(entry.shoppingItemId);
    }
  }

  /** @param {Entry} entry */
  #newRow(entry) {
    if (!this.#mayMove(entry.shoppingItemId)) return null;
    const row = newRow();
    fill(row, entry, this.here);
    this.rows.set(row.id, row);
    return row;
  }

  /** @param {HTMLElement} row @param {Entry} entry */
  #mayGo(row, { status }) {
    const isNew = !row.parentElement;
    const folds = !isNew && Boolean(row.closest(".bought")) !== (status === "purchased");
    if (!folds) return isNew || this.#mayMove(row.id);
    this.waits ||= !this.folds;
    return this.folds;
  }

  /** @param {string} id */
  #mayMove(id) {
    const may = this.isFree || this.own.has(id);
    this.waits ||= !may;
    return may;
  }
}
