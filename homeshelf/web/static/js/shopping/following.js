// What others do to the list: the phone's own copy follows, entry by entry.
import { get } from "../api.js";
import { renew } from "../queue/phone.js";
import { withEntry } from "./kept-list.js";
import { LIST } from "./state.js";

const TOGETHER = 300; // what changes in the stock and the stores at once is read at once
const ALSO = new Set(["Store", "InventoryItem"]);

export class Following {
  #waiting = 0;
  /** What was deleted stays so, whatever an answer says that is on its way. @type {Set<string>} */
  #gone = new Set();
  /** @type {Set<string>} */
  #looked = new Set();

  /** @param {import("./state.js").State} state */
  constructor(state) {
    this.state = state;
  }

  /** @param {import("../live/stream.js").Change} change */
  hear({ type, id, version }) {
    if (type === "reset") return this.renew();
    if (ALSO.has(type)) return this.soon();
    if (type !== "ShoppingListItem") return;
    const known = this.state.kept.entries.find(({ shoppingItemId }) => shoppingItemId === id);
    if (version === null) this.#gone.add(id);
    if (version === null || !known || known.version < version) this.#refresh(id);
  }

  soon() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.renew(), TOGETHER);
  }

  /** All of it. */
  async renew() {
    await renew(LIST, async () => {
      const answer = await get("/list/now");
      return answer.ok ? answer.body : undefined;
    });
  }

  /** What came since all of it was read has no picture yet, unless it is a known thing. */
  complete() {
    const { entries, at } = this.state.kept;
    const since = entries.filter((each) => !each.picture && each.createdAt > at);
    const bare = since.filter(({ shoppingItemId }) => !this.#looked.has(shoppingItemId));
    for (const { shoppingItemId } of bare) this.#looked.add(shoppingItemId);
    if (bare.length) this.soon();
  }

  /** @param {string} about */
  async #refresh(about) {
    const change = /** @type {any} */ ({ kind: "entry.add", about });
    const merge = (/** @type {any} */ list, /** @type {any} */ entry) =>
      withEntry(list ?? this.state.kept, change, this.#gone.has(about) ? null : entry);
    await renew(LIST, () => this.#read(about), merge);
  }

  /** @param {string} id @returns {Promise<any>} null where it is gone, undefined where nothing was heard */
  async #read(id) {
    if (this.#gone.has(id)) return null;
    const answer = await get(`/api/v1/shopping-list/${id}`);
    if (answer.status === 404) this.#gone.add(id);
    return answer.ok ? answer.body : answer.status === 404 ? null : undefined;
  }
}
