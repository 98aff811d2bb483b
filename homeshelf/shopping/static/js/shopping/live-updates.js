// Apply changes of other clients to the cached list, entry by entry.
import { get } from "../api.js";
import { refreshCache } from "../queue/api.js";
import { updateEntry } from "./cached-list.js";
import { LIST } from "./list-state.js";

const BATCH_DELAY = 300; // what changes in the stock and the stores at once is read at once
const INDEX_DELAY = 2500; // by then every index has what was written
const { member = "", family = "" } = document.body.dataset;
/** A cookie may be another person's by now, or chose another family: then nothing is told. */
const OURS = { "Homeshelf-Member": member, "Homeshelf-Family": family };
const RELATED_TYPES = new Set(["Store", "StoreOrder", "InventoryItem"]);

export class LiveUpdates {
  #waiting = 0;
  #settling = 0;
  /** What was deleted stays so, whatever an answer says that is on its way. @type {Set<string>} */
  #gone = new Set();
  /** @type {Set<string>} */
  #looked = new Set();
  /** Additions that wait, as they were last seen. @type {Set<string>} */
  #adding = new Set();
  /** Those that waited while all of it was read: somebody may have deleted them before that. @type {Set<string>} */
  #doubtful = new Set();

  /** @param {import("./list-state.js").State} state */
  constructor(state) {
    this.state = state;
  }

  /** @param {import("../live/stream.js").Change} change */
  handleChange({ type, id, version }) {
    if (type === "reset") return this.renew();
    if (RELATED_TYPES.has(type)) return this.#alsoChanged();
    if (type !== "ShoppingListItem") return;
    const known = this.state.kept.entries.find(({ shoppingItemId }) => shoppingItemId === id);
    if (version === null) this.#gone.add(id);
    if (version === null || !known || known.version < version) this.#refresh(id);
  }

  renewSoon() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.renew(), BATCH_DELAY);
  }

  /** Where indexes are behind for a moment, what was read at once is read once more. */
  #alsoChanged() {
    this.renewSoon();
    clearTimeout(this.#settling);
    if ("lags" in document.body.dataset) this.#settling = setTimeout(() => this.renew(), INDEX_DELAY);
  }

  /** All of it. */
  async renew() {
    await refreshCache(LIST, async () => {
      const { ok, body } = await get("/list/now", OURS);
      return ok && body.familyId === family ? body : undefined;
    });
    for (const id of this.#adding) this.#doubtful.add(id);
  }

  /** Whenever something is different. */
  checkEntries() {
    this.#complete();
    this.#lookAfterAdditions();
  }

  /** What came since all of it was read has no picture yet, unless it is a known thing. */
  #complete() {
    const { entries, at } = this.state.kept;
    const since = entries.filter((each) => !each.picture && each.createdAt > at);
    const bare = since.filter(({ shoppingItemId }) => !this.#looked.has(shoppingItemId));
    for (const { shoppingItemId } of bare) this.#looked.add(shoppingItemId);
    if (bare.length) this.renewSoon();
  }

  /** What an answer says was added may be gone by the time that it comes. */
  #lookAfterAdditions() {
    const before = this.#adding;
    this.#adding = new Set(this.state.changes.filter(({ kind }) => kind === "entry.add").map(({ about }) => about));
    for (const id of before) {
      if (!this.#adding.has(id) && (this.#doubtful.delete(id) || this.#gone.has(id))) this.#refresh(id);
    }
  }

  /** @param {string} about */
  async #refresh(about) {
    const change = /** @type {any} */ ({ kind: "entry.add", about });
    const merge = (/** @type {any} */ list, /** @type {any} */ entry) =>
      updateEntry(list ?? this.state.kept, change, this.#gone.has(about) ? null : entry);
    await refreshCache(LIST, () => this.#read(about), merge);
  }

  /** @param {string} id @returns {Promise<any>} null where it is gone, undefined where nothing was heard */
  async #read(id) {
    if (this.#gone.has(id)) return null;
    const answer = await get(`/api/v1/shopping-list/${id}`, OURS);
    if (answer.status === 404) this.#gone.add(id);
    return answer.ok ? answer.body : answer.status === 404 ? null : undefined;
  }
}
