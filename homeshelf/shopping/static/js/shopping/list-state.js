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
  /** @type {unknown[]} of what the list was made that is shown */
  #made = [];
  /** @type {List | null} */
  #shown = null;

  /** @param {List} told with the page @param {() => void} draw whenever something is different */
  constructor(told, draw) {
    this.told = told;
    this.#pending = new PendingChanges(isOurs, draw, { readCached });
  }

  /** What waits to be sent. */
  get changes() {
    return this.#pending.changes;
  }

  /** What nothing came of, and nobody was told yet. @returns {Change[]} */
  get lost() {
    return this.#pending.cached?.lost ?? [];
  }

  /** What the server told last. @returns {List} */
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

  /** The entries that were changed here, and the server does not have so. */
  get own() {
    return new Set(this.changes.map(({ about }) => about));
  }

  /** @param {string} id */
  entry(id) {
    return this.shown.entries.find(({ shoppingItemId }) => shoppingItemId === id);
  }

  /** What a person did. @param {Draft[]} drafts */
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

/** Not what was done to the stock, which its own page asks about. @param {Change} change */
function isOurs({ kind }) {
  return kind in kinds;
}
