// The changes that a page shows: stored ones and those being stored, each once.
import { toast } from "../toast.js";
import { words } from "../words.js";
import { add, listWaiting } from "./api.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Draft & {who?: string, family?: string}} AddedDraft
 */
export class PendingChanges {
  /** @type {Change[]} in order, including those with questions */
  changes = [];
  /** @type {any} the cached value read with them */
  cached = null;
  /** @type {Change[]} */
  #stored = [];
  /** @type {Change[]} */
  #storing = [];
  /** @type {Set<Change>} those that are stored */
  #done = new Set();
  #reading = 0;

  /**
   * @param {(change: Change) => boolean} matches @param {() => void} draw on each change
   * @param {{owner?: [who: string, family: string], readCached?: () => Promise<any>}} [more] owner: defaults to the
   * page's user and family
   */
  constructor(matches, draw, { owner, readCached = async () => null } = {}) {
    this.matches = matches;
    this.draw = draw;
    this.owner = owner ?? [];
    this.readCached = readCached;
    document.addEventListener("homeshelf:queue", () => this.read());
  }

  /** Show and journal changes at once, then store and send. @param {AddedDraft[]} drafts @param {typeof add} [keep] */
  async act(drafts, keep = add) {
    const added = drafts.map((draft) => /** @type {Change} */ ({ ...draft, question: null, over: null }));
    const keeping = keep(...drafts); // first, so that no shown change is lost
    this.#show(this.#stored, [...this.#storing, ...added]);
    try {
      await keeping;
      for (const each of added) this.#done.add(each);
    } catch {
      this.#storing = this.#storing.filter((each) => !added.includes(each));
      toast(words("failed"));
    }
    await this.read();
  }

  /** Read the store; an outdated read is ignored. */
  async read() {
    const turn = ++this.#reading;
    const reading = listWaiting(...this.owner).then((changes) => ({ changes, safe: new Set(this.#done) }));
    const [{ changes, safe }, cached] = await Promise.all([reading, this.readCached()]);
    if (turn !== this.#reading) return;
    for (const each of safe) this.#done.delete(each);
    this.cached = cached;
    this.#show(changes.filter(this.matches), this.#storing.filter((each) => !safe.has(each)));
  }

  /** @param {Change[]} stored @param {Change[]} fresh */
  #show(stored, fresh) {
    [this.#stored, this.#storing] = [stored, fresh];
    this.changes = [...stored, ...fresh];
    this.draw();
  }
}
