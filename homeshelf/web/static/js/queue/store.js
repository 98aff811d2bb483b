// Store changes and cached values of users and families in IndexedDB. A new version reads the data of an older one:
// object stores are only added, and missing attributes get defaults.
import { MemoryStore } from "./memory-store.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./queue.js").ThingKey} ThingKey
 * @typedef {import("./queue.js").Store & Pick<MemoryStore, "thing" | "keep" | "forget">} Kept
 */
const NAME = "homeshelf";
const VERSION = 1;
const DEFAULTS = { who: "", family: "", label: "", body: null, seen: null, sent: null, question: null, over: null };

/** @type {Promise<Kept> | null} */
let opened = null;

/** The store of this browser. @type {Kept} */
export const store = {
  changes: async () => (await openStore()).changes(),
  update: async (rule, thing) => (await openStore()).update(rule, thing),
  thing: async (thing) => (await openStore()).thing(thing),
  keep: async (thing, value, turn) => (await openStore()).keep(thing, value, turn),
  forget: async (isToGo) => (await openStore()).forget(isToGo),
};

/** Opens IndexedDB, or a store in memory if it is not available. */
function openStore() {
  opened ??= open(VERSION).then(
    (db) => new IndexedStore(db),
    () => new MemoryStore(),
  );
  return opened;
}

class IndexedStore {
  /** @param {IDBDatabase} db */
  constructor(db) {
    this.db = db;
    db.onversionchange = db.onclose = () => (db.close(), (opened = null));
  }

  async changes() {
    return read(this.db.transaction("changes").objectStore("changes"));
  }

  /** @type {import("./queue.js").Store["update"]} */
  async update(rule, thing) {
    return this.#within(async (changes, things) => {
      const old = await read(changes);
      const found = thing && (await result(things.get(thing)));
      const next = rule([...old], found?.value ?? null);
      const left = new Set(next.changes);
      const stays = new Set(next.changes.map(({ n }) => n));
      for (const change of old) if (!stays.has(change.n)) changes.delete(change.n);
      for (const change of old) left.delete(change);
      for (const change of left) changes.put(change);
      if (thing && next.value !== undefined) things.put(thingOf(thing, next.value, found));
      return /** @type {any} */ (next.result);
    });
  }

  /** @param {ThingKey} thing @returns {Promise<{value: any, turn: number}>} */
  async thing(thing) {
    const found = await result(this.db.transaction("things").objectStore("things").get(thing));
    return found ?? { value: null, turn: 0 };
  }

  /**
   * Write the value unless it has changed since `turn`.
   * @param {ThingKey} thing @param {any} value @param {number} turn
   */
  async keep(thing, value, turn) {
    return this.#within(async (_, things) => {
      const found = await result(things.get(thing));
      if ((found?.turn ?? 0) !== turn) return false;
      things.put(thingOf(thing, value, found));
      return true;
    });
  }

  /** @param {(who: string, family: string, what: "change" | "thing") => boolean} isToGo */
  async forget(isToGo) {
    return this.#within(async (changes, things) => {
      for (const { n, who, family } of await read(changes)) if (isToGo(who, family, "change")) changes.delete(n);
      for (const { who, family, name } of await result(things.getAll()))
        if (isToGo(who, family, "thing")) things.delete([who, family, name]);
    });
  }

  /**
   * Run `work` in one transaction that is durable when this resolves.
   * @template T @param {(changes: IDBObjectStore, things: IDBObjectStore) => Promise<T>} work @returns {Promise<T>}
   */
  async #within(work) {
    const transaction = this.db.transaction(["changes", "things"], "readwrite", { durability: "strict" });
    const safe = new Promise((done, fail) => {
      transaction.oncomplete = done;
      transaction.onabort = () => fail(transaction.error);
    });
    try {
      const [worked] = await Promise.all([
        work(transaction.objectStore("changes"), transaction.objectStore("things")).catch((error) => {
          transaction.abort();
          throw error;
        }),
        safe,
      ]);
      return worked;
    } finally {
      safe.catch(() => {});
    }
  }
}

/**
 * Open a database of a newer version as it is.
 * @param {number | undefined} version @returns {Promise<IDBDatabase>}
 */
function open(version) {
  return new Promise((done, fail) => {
    const request = indexedDB.open(NAME, version);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion >= 1) return;
      request.result.createObjectStore("changes", { keyPath: "n", autoIncrement: true });
      request.result.createObjectStore("things", { keyPath: ["who", "family", "name"] });
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => {
      if (request.error?.name === "VersionError") open(undefined).then(done, fail);
      else fail(request.error);
    };
  });
}

/** @param {IDBObjectStore} changes @returns {Promise<Change[]>} */
async function read(changes) {
  return (await result(changes.getAll())).map((change) => ({ ...DEFAULTS, ...change }));
}

/** @param {ThingKey} key @param {any} value @param {{turn: number} | undefined} old */
function thingOf([who, family, name], value, old) {
  return { who, family, name, value, turn: (old?.turn ?? 0) + 1 };
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function result(request) {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}
