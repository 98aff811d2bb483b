/**
 * Read anew what is kept. Where something was sent meanwhile, what was read may be older than that, and
 * is read once more.
 * @template T
 * @param {Pick<import("./store.js").Kept, "thing" | "keep">} kept
 * @param {import("./queue.js").ThingKey} thing
 * @param {() => Promise<T | undefined>} read undefined where nothing was heard
 * @param {(value: any, fresh: T) => any} merge
 * @returns {Promise<boolean>} whether it is kept
 */
export async function refreshValue(kept, thing, read, merge = (_, fresh) => fresh) {
  for (;;) {
    const { value, turn } = await kept.thing(thing);
    const fresh = await read();
    if (fresh === undefined) return false;
    if (await kept.keep(thing, merge(value, fresh), turn)) return true;
  }
}
