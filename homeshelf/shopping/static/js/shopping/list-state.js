// The cached list together with its pending changes.
import { PendingChanges } from "../queue/pending.js";
import { readCache, listLost } from "../queue/api.js";
import { kinds } from "./kinds.js";
import { applyChanges } from "./pending-view.js";

/**
 * @typedef {import("./pending-view.js").List} List
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Draft} Draft
 */
export const LIST = "list";

export class State {
  #pending;
  /** @type {unknown[]} the sources of the shown list */
  #made = [];
  /** @type {List | null} */
  #shown = null;

  /** @param {List} told with the page @param {() => void} draw called after every change */
  constructor(told, draw) {
    this.told = told;
    this.#pending = new PendingChanges(isOurs, draw, { readCached });
  }

  /** Changes that are not sent yet. */
  get changes() {
    return this.#pending.changes;
  }

  /** Failed changes that were not shown yet. @returns {Change[]} */
  get lost() {
    return this.#pending.cached?.lost ?? [];
  }

  /** The latest list of the server. @returns {List} */
  get kept() {
    return this.#pending.cached?.kept ?? this.told;
  }

  get shown() {
    const made = [this.kept, this.changes];
    if (made.some((each, i) => each !== this.#made[i])) {
      this.#made = made;
      this.#shown = applyChanges(this.kept, this.changes);
    }
    return /** @type {List} */ (this.#shown);
  }

  /** Ids of entries with changes that are not sent yet. */
  get own() {
    return new Set(this.changes.map(({ about }) => about));
  }

  /** @param {string} id */
  entry(id) {
    return this.shown.entries.find(({ shoppingItemId }) => shoppingItemId === id);
  }

  /** Queue the changes of the person. @param {Draft[]} drafts */
  act(...drafts) {
    return this.#pending.act(drafts);
  }

  read() {
    return this.#pending.read();
  }
}

async function readCached() {
  const [over, kept] = await Promise.all([listLost(), readCache(LIST)]);
  return { lost: over.filter(isOurs), kept };
}

/** Check whether this is a change of the list, not of the stock. @param {Change} change */
function isOurs({ kind }) {
  return kind in kinds;
}
