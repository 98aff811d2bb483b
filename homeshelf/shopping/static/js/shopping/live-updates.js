// Apply changes of other clients to the cached list, entry by entry.
import { get } from "../api.js";
import { refreshCache } from "../queue/api.js";
import { updateEntry } from "./cached-list.js";
import { LIST } from "./list-state.js";
import { deletePages } from "../page-cache.js";

const BATCH_DELAY = 300; // changes of stock and stores within this time cause one read
const INDEX_DELAY = 2500; // the indexes are current by then
const { member = "", family = "" } = document.body.dataset;
/** The server refuses the request if the cookie is of another person or family. */
const OURS = { "Homeshelf-Member": member, "Homeshelf-Family": family };
const RELATED_TYPES = new Set(["Store", "StoreOrder", "InventoryItem"]);

export class LiveUpdates {
  #waiting = 0;
  #settling = 0;
  /** Deleted ids: a later response must not bring them back. @type {Set<string>} */
  #gone = new Set();
  /** @type {Set<string>} */
  #looked = new Set();
  /** Ids of queued additions at the last check. @type {Set<string>} */
  #adding = new Set();
  /** Ids queued during a read of the list: another client may have deleted them before. @type {Set<string>} */
  #doubtful = new Set();

  /** @param {import("./list-state.js").State} state */
  constructor(state) {
    this.state = state;
  }

  /** @param {import("../live/stream.js").Change} change */
  handleChange({ type, id, version }) {
    if (type === "reset") return this.renew();
    if (type === "Member" && id === member) return this.renewSoon();
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

  /** Read the list now, and again after the lag of the indexes. */
  #alsoChanged() {
    this.renewSoon();
    clearTimeout(this.#settling);
    if ("lags" in document.body.dataset) this.#settling = setTimeout(() => this.renew(), INDEX_DELAY);
  }

  /** Read the whole list. */
  async renew() {
    await refreshCache(LIST, async () => {
      const { ok, body } = await get("/list/now", OURS);
      if (ok && !hasSameRights(body, this.state.told)) await reloadPage();
      return ok && body.familyId === family ? body : undefined;
    });
    for (const id of this.#adding) this.#doubtful.add(id);
  }

  /** Called after every drawing. */
  checkEntries() {
    this.#complete();
    this.#lookAfterAdditions();
  }

  /** Read the list again for the pictures of new entries. */
  #complete() {
    const { entries, at } = this.state.kept;
    const since = entries.filter((each) => !each.picture && each.createdAt > at);
    const bare = since.filter(({ shoppingItemId }) => !this.#looked.has(shoppingItemId));
    for (const { shoppingItemId } of bare) this.#looked.add(shoppingItemId);
    if (bare.length) this.renewSoon();
  }

  /** Read added entries again that another client may have deleted before the response came. */
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

  /** @param {string} id @returns {Promise<any>} null if it is deleted, undefined without a response */
  async #read(id) {
    if (this.#gone.has(id)) return null;
    const answer = await get(`/api/v1/shopping-list/${id}`, OURS);
    if (answer.status === 404) this.#gone.add(id);
    return answer.ok ? answer.body : answer.status === 404 ? null : undefined;
  }
}

/** @param {any} list @param {any} other */
function hasSameRights(list, other) {
  return list.memberId !== other.memberId || (list.role === other.role && list.mayTick === other.mayTick);
}

/** Show the rows for what the person may do now. */
async function reloadPage() {
  await deletePages();
  location.reload();
}
