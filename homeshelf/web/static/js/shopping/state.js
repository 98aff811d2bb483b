// The list as this phone has it: what the server told last, and what was done here since.
import { add, known, lost, waiting } from "../queue/phone.js";
import { kinds } from "./merging.js";
import { shown } from "./shown.js";

/**
 * @typedef {import("./shown.js").List} List
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Draft} Draft
 */
export const LIST = "list";

export class State {
  /** @type {Change[]} that wait to be sent */
  changes = [];
  /** @type {Change[]} that nothing came of, and nobody was told yet */
  lost = [];
  /** @type {Change[]} on their way into the store, or just there */
  #fresh = [];
  /** @type {Set<Change>} of those, the ones that are safe */
  #safe = new Set();
  #turn = 0;
  /** @type {unknown[]} of what the list was made that is shown */
  #made = [];
  /** @type {List | null} */
  #shown = null;

  /** @param {List} told with the page @param {() => void} draw whenever something is different */
  constructor(told, draw) {
    this.kept = told;
    this.draw = draw;
  }

  get shown() {
    const made = [this.kept, this.changes, this.#fresh];
    if (made.some((each, i) => each !== this.#made[i])) {
      this.#made = made;
      this.#shown = shown(this.kept, [...this.changes, ...this.#fresh]);
    }
    return /** @type {List} */ (this.#shown);
  }

  /** The entries that were changed here, and the server does not have so. */
  get own() {
    return new Set([...this.changes, ...this.#fresh].map(({ about }) => about));
  }

  /** @param {string} id */
  entry(id) {
    return this.shown.entries.find(({ shoppingItemId }) => shoppingItemId === id);
  }

  /** What a person did: shown at once, then kept, then sent as soon as that can be. @param {Draft[]} drafts */
  async act(...drafts) {
    const made = drafts.map((draft) => /** @type {Change} */ ({ ...draft, question: null, over: null }));
    this.#fresh = [...this.#fresh, ...made];
    this.draw();
    for (const draft of drafts) await add(draft);
    for (const each of made) this.#safe.add(each);
    await this.read();
  }

  /** As the store has it now; of two readings the later one counts. */
  async read() {
    const turn = ++this.#turn;
    const safe = new Set(this.#safe);
    const [changes, over, kept] = await Promise.all([waiting(), lost(), known(LIST)]);
    if (turn !== this.#turn) return;
    [this.changes, this.lost, this.kept] = [changes.filter(isOurs), over.filter(isOurs), kept ?? this.kept];
    this.#fresh = this.#fresh.filter((each) => !safe.has(each));
    for (const each of safe) this.#safe.delete(each);
    this.draw();
  }
}

/** Not what was done to the stock, which its own page asks about. @param {Change} change */
function isOurs({ kind }) {
  return kind in kinds;
}
