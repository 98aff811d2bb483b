/**
 * Refresh a cached value. Read again if a change was sent during the read, because the response may be older.
 * @template T
 * @param {Pick<import("./store.js").Kept, "thing" | "keep">} kept
 * @param {import("./queue.js").ThingKey} thing
 * @param {() => Promise<T | undefined>} read undefined without a response
 * @param {(value: any, fresh: T) => any} merge
 * @returns {Promise<boolean>} whether it was stored
 */
export async function refreshValue(kept, thing, read, merge = (_, fresh) => fresh) {
  for (;;) {
    const { value, turn } = await kept.thing(thing);
    const fresh = await read();
    if (fresh === undefined) return false;
    if (await kept.keep(thing, merge(value, fresh), turn)) return true;
  }
}
