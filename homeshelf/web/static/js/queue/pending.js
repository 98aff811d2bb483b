// What a page shows of the queue: what waits, and what is on its way into the store, each once.
import { toast } from "../toast.js";
import { words } from "../words.js";
import { add, listWaiting } from "./api.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Draft & {who?: string, family?: string}} Made
 */
export class PendingChanges {
  /** @type {Change[]} in order; those that wait for a person too */
  changes = [];
  /** @type {any} what else was read with it */
  beside = null;
  /** @type {Change[]} */
  #stored = [];
  /** @type {Change[]} */
  #fresh = [];
  /** @type {Set<Change>} of those, the ones that are safe */
  #safe = new Set();
  #turn = 0;

  /**
   * @param {(change: Change) => boolean} isOurs @param {() => void} draw whenever something is different
   * @param {{whose?: [who: string, family: string], readBeside?: () => Promise<any>}} [more] whose: of the page
   */
  constructor(isOurs, draw, { whose, readBeside = async () => null } = {}) {
    this.isOurs = isOurs;
    this.draw = draw;
    this.whose = whose ?? [];
    this.readBeside = readBeside;
    document.addEventListener("homeshelf:queue", () => this.read());
  }

  /** Shown and noted at once, kept, then sent as soon as can be. @param {Made[]} drafts @param {typeof add} [keep] */
  async act(drafts, keep = add) {
    const made = drafts.map((draft) => /** @type {Change} */ ({ ...draft, question: null, over: null }));
    const keeping = keep(...drafts); // what is shown outlives the page
    this.#show(this.#stored, [...this.#fresh, ...made]);
    try {
      await keeping;
      for (const each of made) this.#safe.add(each);
    } catch {
      this.#fresh = this.#fresh.filter((each) => !made.includes(each));
      toast(words("failed"));
    }
    await this.read();
  }

  /** As the store has it now; of two readings the later one counts. */
  async read() {
    const turn = ++this.#turn;
    const reading = listWaiting(...this.whose).then((changes) => ({ changes, safe: new Set(this.#safe) }));
    const [{ changes, safe }, beside] = await Promise.all([reading, this.readBeside()]);
    if (turn !== this.#turn) return;
    for (const each of safe) this.#safe.delete(each);
    this.beside = beside;
    this.#show(changes.filter(this.isOurs), this.#fresh.filter((each) => !safe.has(each)));
  }

  /** @param {Change[]} stored @param {Change[]} fresh */
  #show(stored, fresh) {
    [this.#stored, this.#fresh] = [stored, fresh];
    this.changes = [...stored, ...fresh];
    this.draw();
  }
}
