// What a page shows of the queue: what waits, and what is on its way into the store, each once.
import { toast } from "../toast.js";
import { words } from "../words.js";
import { waiting } from "./phone.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").OwnDraft} OwnDraft
 */
export class Pending {
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
   * @param {string} [who] @param {string} [family] @param {() => Promise<any>} [readBeside]
   */
  constructor(isOurs, draw, who, family, readBeside = async () => null) {
    this.isOurs = isOurs;
    this.draw = draw;
    this.whose = [who, family];
    this.readBeside = readBeside;
    document.addEventListener("homeshelf:queue", () => this.read());
    this.read();
  }

  /** In order; those that wait for a person too. */
  get changes() {
    return [...this.#stored, ...this.#fresh];
  }

  /**
   * Shown at once, then kept.
   * @param {OwnDraft} draft @param {(draft: OwnDraft) => Promise<void>} add
   */
  async act(draft, add) {
    const made = /** @type {Change} */ ({ ...draft, question: null, over: null });
    this.#fresh.push(made);
    this.draw();
    try {
      await add(draft);
      this.#safe.add(made);
    } catch {
      this.#fresh = this.#fresh.filter((each) => each !== made);
      toast(words("failed"));
    }
    await this.read();
  }

  /** As the store has it now; of two readings the later one counts. */
  async read() {
    const turn = ++this.#turn;
    const reading = waiting(...this.whose).then((changes) => ({ changes, safe: new Set(this.#safe) }));
    const [{ changes, safe }, beside] = await Promise.all([reading, this.readBeside()]);
    if (turn !== this.#turn) return;
    this.#stored = changes.filter(this.isOurs);
    this.#fresh = this.#fresh.filter((each) => !safe.has(each));
    for (const each of safe) this.#safe.delete(each);
    this.beside = beside;
    this.draw();
  }
}
