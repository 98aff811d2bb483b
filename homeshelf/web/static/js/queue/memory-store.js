/**
 * A store in memory, for browsers without IndexedDB and for tests.
 */
export class MemoryStore {
  /** @type {import("./change.js").Change[]} */
  #changes = [];
  /** @type {Map<string, {value: any, turn: number}>} */
  #things = new Map();
  #last = 0;

  async changes() {
    return [...this.#changes];
  }

  /** @type {import("./queue.js").Store["update"]} */
  async update(rule, thing) {
    const name = String(thing);
    const kept = this.#things.get(name) ?? { value: null, turn: 0 };
    const next = rule([...this.#changes], thing ? kept.value : null);
    this.#changes = next.changes.map((change) => (change.n ? change : { ...change, n: ++this.#last }));
    if (thing && next.value !== undefined) this.#things.set(name, { value: next.value, turn: kept.turn + 1 });
    return /** @type {any} */ (next.result);
  }

  /** @param {import("./queue.js").ThingKey} thing */
  async thing(thing) {
    return this.#things.get(String(thing)) ?? { value: null, turn: 0 };
  }

  /** @param {import("./queue.js").ThingKey} thing @param {any} value @param {number} turn */
  async keep(thing, value, turn) {
    const { turn: now } = await this.thing(thing);
    if (now !== turn) return false;
    this.#things.set(String(thing), { value, turn: turn + 1 });
    return true;
  }

  /** @param {(who: string, family: string, what: "change" | "thing") => boolean} isToGo */
  async forget(isToGo) {
    this.#changes = this.#changes.filter(({ who, family }) => !isToGo(who, family, "change"));
    for (const name of this.#things.keys()) {
      const [who, family] = name.split(",");
      if (isToGo(who, family, "thing")) this.#things.delete(name);
    }
  }
}
