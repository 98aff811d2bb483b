// What is at home as this phone knows it: what came with the page, and what was added here since.
import { addDebounced } from "../queue/debounce.js";
import { PendingChanges } from "../queue/pending.js";
import { newUuid } from "../uuid.js";
import { normalizeBarcode } from "../scanning/barcodes.js";
import { foldName } from "../typing/names.js";
import { countOf, press } from "../stock/counts.js";
import { startOf } from "../stock/starts.js";
import { addingItems, countingItem, makingPlace, MOST, removingItem } from "./changes.js";
import "./kinds.js";

/**
 * @typedef {import("./changes.js").NewItem} NewItem
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("../stock/starts.js").Starts} Starts
 * @typedef {{itemId: string, name: string, quantity: number, version: number, unit: string, locationId: string,
 *   picture: string, barcodes: string[]}} Known
 * @typedef {{locationId: string, unit: string, preferredStoreId: string}} Around what stays from one to the next
 * @typedef {{item: Known, count: number, isNew: boolean}} Taken
 */

export class Stock {
  #pending;
  /** @type {Map<string, Known>} by id, those that the page came with or that were made here */
  #known;
  /** @type {Map<string, string>} the ids of places by their names */
  places = new Map();

  #starts;

  /** @param {Known[]} told @param {Starts} starts @param {() => void} draw whenever something is different */
  constructor(told, starts, draw) {
    this.#starts = starts;
    this.#known = new Map(told.map((each) => [each.itemId, each]));
    this.#pending = new PendingChanges(({ kind }) => /^stock\./.test(kind), draw);
    document.addEventListener("homeshelf:counts", draw);
    this.#pending.read();
  }

  /** Things that are on their way. @returns {Map<string, NewItem>} */
  get waiting() {
    const all = this.#pending.changes.filter(({ kind }) => kind === "stock.add").flatMap(({ body }) => body?.items);
    return new Map(all.map((each) => [each.itemId, each]));
  }

  /** How much waits, of whatever kind. */
  get unsent() {
    return this.#pending.changes.length;
  }

  /** @returns {Known[]} */
  get all() {
    const waiting = [...this.waiting.values()].filter(({ itemId }) => !this.#known.has(itemId));
    return [...this.#known.values(), ...waiting.map(knownOf)];
  }

  /**
   * Of those that sound the same, one that is written so; of several, the one in that place.
   * @param {string} name @param {string | null} place where it is said to be @param {Around} around
   */
  called(name, place, around) {
    const at = (place && this.#idOf(place)) || around.locationId;
    const same = this.all.filter((each) => foldName(each.name) === foldName(name));
    const exactly = same.filter((each) => each.name.toLowerCase() === name.trim().toLowerCase());
    const found = exactly.length ? exactly : same;
    return found.find(({ locationId }) => locationId === at) ?? found[0];
  }

  get names() {
    const things = new Set(this.all.map(({ name }) => foldName(name)));
    return { things, places: new Set([...this.places.keys()].map(foldName)) };
  }

  /** How many there are, and whether that is safe. @param {Known} item */
  count(item) {
    const { itemId, quantity, version } = this.#known.get(item.itemId) ?? item;
    const isOwn = this.#pending.changes.some(({ seen }) => seen?.itemId === itemId) || this.waiting.has(itemId);
    const { count, isWaiting } = countOf(itemId, quantity, version);
    return { count, isWaiting: isWaiting || isOwn };
  }

  /** The id of a place, which is made if it is not there. @param {string} name */
  place(name) {
    const known = this.#idOf(name);
    if (known) return known;
    const { locationId, draft } = makingPlace(name);
    this.places.set(name, locationId);
    this.#act([draft]);
    return locationId;
  }

  /**
   * More of what is there, and what is new: noted at once, so that nothing overtakes it and no page loses it.
   * @param {Line[]} lines @param {Around} around @param {string} [code] of the one line @returns {Taken[]}
   */
  take(lines, around, code) {
    /** @type {Taken[]} */
    const taken = [];
    for (const line of lines) {
      const there = this.called(line.name, line.place, around);
      const item = there ?? knownOf(this.#newItem(line, around, code));
      taken.push({ item, count: line.count, isNew: !there });
    }
    const made = taken.filter(({ isNew }) => isNew).map(({ item }) => itemOf(item, around, this.#starts));
    const drafts = [];
    for (let i = 0; i < made.length; i += MOST) drafts.push(addingItems(made.slice(i, i + MOST)));
    for (const { item, count, isNew } of taken) {
      if (isNew) this.#known.set(item.itemId, item);
      else drafts.push(...this.#more(item, count));
    }
    this.#act(drafts);
    return taken;
  }

  /** @param {Known} item @param {number} count @returns {Taken[]} */
  takeMore(item, count) {
    this.#act(this.#more(item, count));
    return [{ item, count, isNew: false }];
  }

  /** @param {string} code @returns {Known | undefined} */
  withCode(code) {
    return this.all.find(({ barcodes }) => barcodes?.some((each) => normalizeBarcode(each) === normalizeBarcode(code)));
  }

  /** @param {Taken[]} taken */
  takeBack(taken) {
    for (const { item, isNew } of taken) if (isNew) this.#known.delete(item.itemId);
    const news = taken.filter(({ isNew }) => isNew).map(({ item }) => removingItem(item));
    const others = taken.filter(({ isNew }) => !isNew).flatMap(({ item, count }) => this.#more(item, -count));
    this.#act([...news, ...others]);
  }

  /** @param {string} place */
  #idOf(place) {
    return [...this.places].find(([name]) => foldName(name) === foldName(place))?.[1];
  }

  /** @param {Known} item @param {number} delta */
  #more(item, delta) {
    if (!this.waiting.has(item.itemId)) {
      press(item.itemId, item.name, delta);
      return [];
    }
    const { quantity } = this.#known.get(item.itemId) ?? item;
    this.#known.set(item.itemId, { ...item, quantity: quantity + delta });
    return [countingItem(item, delta)];
  }

  /** @param {Line} line @param {Around} around @param {string} [code] @returns {NewItem} */
  #newItem({ name, count, unit, place }, around, code) {
    const locationId = place ? this.place(place) : (place ?? around.locationId);
    const said = { name, quantity: count, unit: unit ?? around.unit };
    return { itemId: newUuid(), ...said, locationId, barcodes: code ? [code] : [] };
  }

  /** @param {import("../queue/change.js").Draft[]} drafts */
  #act(drafts) {
    return this.#pending.act(drafts, addDebounced);
  }
}

/** @param {NewItem} item @returns {Known} */
function knownOf({ itemId, name, quantity, unit = "", locationId = "", barcodes = [] }) {
  return { itemId, name, quantity, version: 1, unit, locationId, picture: "", barcodes };
}

/**
 * What is sent of it: nothing that is empty.
 * @param {Known} item @param {Around} around @param {Starts} starts @returns {NewItem}
 */
function itemOf({ itemId, name, quantity, unit, locationId, barcodes }, { preferredStoreId }, starts) {
  return {
    ...{ itemId, name, quantity, threshold: startOf(starts, unit, quantity) },
    ...(unit && { unit }),
    ...(locationId && { locationId }),
    ...(preferredStoreId && { preferredStoreId }),
    ...(barcodes.length && { barcodes }),
  };
}
