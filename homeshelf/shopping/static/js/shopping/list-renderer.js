import { keepScrollPosition } from "../live/activity.js";
import { findOrCreateRows } from "./store-section.js";
import { groupEntries } from "./store-groups.js";
import { animateRows } from "./row-animation.js";
import { fillRow, newRow } from "./row.js";

/**
 * @typedef {import("./pending-view.js").Entry} Entry
 * @typedef {import("./pending-view.js").List} List
 * @typedef {import("./store-groups.js").Group} Group
 * @typedef {{at: string, own: Set<string>, isFree: boolean, folds: boolean}} ViewState the current store, the entries
 *   changed on this phone, whether the list is idle, and whether purchased entries may fold away
 */

/**
 * Draw the list. A row that the person may be about to tap keeps its position, unless they moved it
 * themselves. Moves are animated.
 */
export class ListRenderer {
  /** Some rows wait until the list is idle. */
  waits = false;
  /** @type {Map<string, HTMLElement>} */
  rows = new Map();

  /** @param {HTMLElement} place @param {List} list @param {ViewState} looking */
  constructor(place, list, { at, own, isFree, folds }) {
    this.place = place;
    this.own = own;
    this.folds = folds;
    this.isFree = isFree;
    this.here = { here: at ? `?at=${at}` : "", aside: list.aside ?? [] };
    const { groups, bought } = groupEntries(list, at);
    this.groups = groups;
    this.bought = bought;
    const all = [...groups.flatMap((group) => group.entries), ...bought];
    this.entries = new Map(all.map((each) => [each.shoppingItemId, each]));
    for (const row of place.querySelectorAll("li.entry")) this.rows.set(row.id, /** @type {HTMLElement} */ (row));
  }

  draw() {
    for (const [id, row] of this.rows) {
      const entry = this.entries.get(id);
      if (entry) fillRow(row, entry, this.here);
    }
    if (!this.#isArranged()) animateRows(this.place, () => keepScrollPosition(() => this.#arrange()));
    return this.waits;
  }

  /** Check whether no row has to move. This is cheap, but measuring rows is not. */
  #isArranged() {
    const wanted = new Map(this.groups.map(({ storeId, entries }) => [storeId, idsOf(entries)]));
    const lists = [...this.place.querySelectorAll(".list-groups ul, .bought ul")];
    const standing = lists.every((ul) => {
      const group = /** @type {HTMLElement | null} */ (ul.closest(".list-group"));
      const own = group ? (wanted.get(group.dataset.store ?? "") ?? []) : idsOf(this.bought);
      const all = [own, [...ul.children].map(({ id }) => id)];
      const [belong, there] = all.map((ids) => ids.filter((id) => !this.#stays(id)));
      return (belong.length || !group) && belong.join() === there.join();
    });
    return standing && lists.length === this.groups.length + 1 && this.rows.size === this.entries.size;
  }

  /** Check whether a ticked or unticked row stays until the list is idle. @param {string} id */
  #stays(id) {
    const [row, entry] = [this.rows.get(id), this.entries.get(id)];
    const folds = Boolean(row?.parentElement) && Boolean(row?.closest(".bought")) !== (entry?.status === "purchased");
    this.waits ||= folds && !this.folds;
    return folds && !this.folds;
  }

  #arrange() {
    for (const [id, row] of this.rows) if (!this.entries.has(id) && this.#mayMove(id)) row.remove();
    const stores = this.groups.map(({ storeId }) => storeId);
    for (const [i, group] of this.groups.entries())
      this.#fillUp(findOrCreateRows(this.place, group, stores.slice(i + 1)), group.entries);
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
    fillRow(row, entry, this.here);
    this.rows.set(row.id, row);
    return row;
  }

  /** @param {HTMLElement} row @param {Entry} entry */
  #mayGo(row, { status }) {
    if (!row.parentElement) return true;
    const folds = Boolean(row.closest(".bought")) !== (status === "purchased");
    return folds ? !this.#stays(row.id) : this.#mayMove(row.id);
  }

  /** @param {string} id */
  #mayMove(id) {
    const may = this.isFree || this.own.has(id);
    this.waits ||= !may;
    return may;
  }
}

/** @param {Entry[]} entries */
function idsOf(entries) {
  return entries.map(({ shoppingItemId }) => shoppingItemId);
}
