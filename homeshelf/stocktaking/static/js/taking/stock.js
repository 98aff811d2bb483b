// The items that this phone knows: those from the page and those added since.
import { addDebounced } from "../queue/debounce.js";
import { PendingChanges } from "../queue/pending.js";
import { newUuid } from "../uuid.js";
import { normalizeBarcode } from "../scanning/barcodes.js";
import { foldName } from "../typing/names.js";
import { countOf, adjustCount } from "../stock/counts.js";
import { defaultThreshold } from "../stock/default-threshold.js";
import { addItemsDraft, adjustItemDraft, addPlaceDraft, MOST, removeItemDraft } from "./changes.js";
import "./kinds.js";

/**
 * @typedef {import("./changes.js").NewItem} NewItem
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("../stock/default-threshold.js").Thresholds} Thresholds
 * @typedef {{itemId: string, name: string, quantity: number, version: number, unit: string, locationId: string,
 *   picture: string, barcodes: string[], notes?: string}} Known
 * @typedef {{locationId: string, unit: string, preferredStoreId: string}} LineDefaults values for lines that name none
 * @typedef {{item: Known, count: number, isNew: boolean}} CountedItem
 */

export class Stock {
  #pending;
  /** @type {Map<string, Known>} by id, from the page or created here */
  #known;
  /** @type {Map<string, string>} the ids of places by their names */
  places = new Map();
  /** @type {Map<string, string>} the pictures of common names, as `foldName` returns them */
  pictures = new Map();

  #thresholds;

  /** @param {Known[]} told @param {Thresholds} thresholds @param {() => void} draw called after each change */
  constructor(told, thresholds, draw) {
    this.#thresholds = thresholds;
    this.#known = new Map(told.map((each) => [each.itemId, each]));
    this.#pending = new PendingChanges(({ kind }) => /^stock\./.test(kind), draw);
    document.addEventListener("homeshelf:counts", draw);
    this.#pending.read();
  }

  /** New items that are not sent yet, by id. @returns {Map<string, NewItem>} */
  get waiting() {
    const all = this.#pending.changes.filter(({ kind }) => kind === "stock.add").flatMap(({ body }) => body?.items);
    return new Map(all.map((each) => [each.itemId, each]));
  }

  /** The number of pending changes. */
  get unsent() {
    return this.#pending.changes.length;
  }

  /** @returns {Known[]} */
  get all() {
    const waiting = [...this.waiting.values()].filter(({ itemId }) => !this.#known.has(itemId));
    return [...this.#known.values(), ...waiting.map(itemFromDraft)];
  }

  /**
   * Find an item by name: prefer the exact spelling, then the place.
   * @param {string} name @param {string | null} place of the line @param {LineDefaults} around
   */
  findItem(name, place, around) {
    const at = (place && this.#placeId(place)) || around.locationId;
    const same = this.all.filter((each) => foldName(each.name) === foldName(name));
    const exactly = same.filter((each) => each.name.toLowerCase() === name.trim().toLowerCase());
    const found = exactly.length ? exactly : same;
    return found.find(({ locationId }) => locationId === at) ?? found[0];
  }

  get names() {
    const things = new Map(this.all.map(({ name, unit }) => /** @type {const} */ ([foldName(name), unit])));
    return { things, places: new Set([...this.places.keys()].map(foldName)) };
  }

  /** Return the picture of an item; the server has guessed those of common names. @param {string} name */
  picture(name, chosen = "") {
    return chosen || (this.pictures.get(foldName(name)) ?? "");
  }

  /** Return the count of an item and whether it is pending. @param {Known} item */
  count(item) {
    const { itemId, quantity, version } = this.#known.get(item.itemId) ?? item;
    const isOwn = this.#pending.changes.some(({ seen }) => seen?.itemId === itemId) || this.waiting.has(itemId);
    const { count, isWaiting } = countOf(itemId, quantity, version);
    return { count, isWaiting: isWaiting || isOwn };
  }

  /** Return the id of a place, and add an unknown one. @param {string} name */
  place(name) {
    const known = this.#placeId(name);
    if (known) return known;
    const { locationId, draft } = addPlaceDraft(name);
    this.places.set(name, locationId);
    this.#act([draft]);
    return locationId;
  }

  /**
   * Add new items and count up existing ones in one step, so that the order is kept.
   * @param {Line[]} lines @param {LineDefaults} around @param {string} [code] of the one line @returns {CountedItem[]}
   */
  take(lines, around, code) {
    /** @type {CountedItem[]} */
    const taken = [];
    for (const line of lines) {
      const there = this.findItem(line.name, line.place, around);
      const item = there ?? itemFromDraft(this.#newItem(line, around, code));
      taken.push({ item, count: line.count, isNew: !there });
    }
    const made = taken.filter(({ isNew }) => isNew).map(({ item }) => draftItem(item, around, this.#thresholds));
    const drafts = [];
    for (let i = 0; i < made.length; i += MOST) drafts.push(addItemsDraft(made.slice(i, i + MOST)));
    for (const { item, count, isNew } of taken) {
      if (isNew) this.#known.set(item.itemId, item);
      else drafts.push(...this.#countMore(item, count));
    }
    this.#act(drafts);
    return taken;
  }

  /** @param {Known} item @param {number} count @returns {CountedItem[]} */
  takeMore(item, count) {
    this.#act(this.#countMore(item, count));
    return [{ item, count, isNew: false }];
  }

  /** @param {string} code @returns {Known | undefined} */
  findByCode(code) {
    return this.all.find(({ barcodes }) => barcodes?.some((each) => normalizeBarcode(each) === normalizeBarcode(code)));
  }

  /** @param {CountedItem[]} taken */
  takeBack(taken) {
    for (const { item, isNew } of taken) if (isNew) this.#known.delete(item.itemId);
    const removed = taken.filter(({ isNew }) => isNew).map(({ item }) => removeItemDraft(item));
    const adjusted = taken.filter(({ isNew }) => !isNew).flatMap(({ item, count }) => this.#countMore(item, -count));
    this.#act([...removed, ...adjusted]);
  }

  /** @param {string} place */
  #placeId(place) {
    return [...this.places].find(([name]) => foldName(name) === foldName(place))?.[1];
  }

  /** @param {Known} item @param {number} delta */
  #countMore(item, delta) {
    if (!this.waiting.has(item.itemId)) {
      adjustCount(item.itemId, item.name, delta);
      return [];
    }
    const { quantity } = this.#known.get(item.itemId) ?? item;
    this.#known.set(item.itemId, { ...item, quantity: quantity + delta });
    return [adjustItemDraft(item, delta)];
  }

  /** @param {Line} line @param {LineDefaults} around @param {string} [code] @returns {NewItem} */
  #newItem({ name, count, unit, notes, place }, around, code) {
    const locationId = place ? this.place(place) : (place ?? around.locationId);
    const said = { name, quantity: count, unit: unit ?? (notes ? "" : around.unit), notes: notes ?? "" };
    return { itemId: newUuid(), ...said, locationId, barcodes: code ? [code] : [] };
  }

  /** @param {import("../queue/change.js").Draft[]} drafts */
  #act(drafts) {
    return this.#pending.act(drafts, addDebounced);
  }
}

/** @param {NewItem} item @returns {Known} */
function itemFromDraft({ itemId, name, quantity, unit = "", notes = "", locationId = "", barcodes = [] }) {
  return { itemId, name, quantity, version: 1, unit, notes, locationId, picture: "", barcodes };
}

/**
 * Return the fields to send, without empty ones.
 * @param {Known} item @param {LineDefaults} around @param {Thresholds} thresholds @returns {NewItem}
 */
function draftItem({ itemId, name, quantity, unit, notes, locationId, barcodes }, { preferredStoreId }, thresholds) {
  return {
    ...{ itemId, name, quantity, threshold: defaultThreshold(thresholds, unit, quantity) },
    ...(unit && { unit }),
    ...(notes && { notes }),
    ...(locationId && { locationId }),
    ...(preferredStoreId && { preferredStoreId }),
    ...(barcodes.length && { barcodes }),
  };
}
