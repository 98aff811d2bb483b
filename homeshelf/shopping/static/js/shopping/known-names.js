// Match typed entries with known names of the family.
import { isVisible, foldName } from "../typing/names.js";
import { countIn } from "./amounts.js";
import { parseEntries } from "./entry-parser.js";

/**
 * @typedef {{name: string, itemId: string | null, storeId: string | null, unit?: string | null,
 *   picture: string}} KnownName
 * @typedef {import("./entry-parser.js").TypedEntry & Omit<KnownName, "name"> & {isRepeated?: boolean}} ResolvedEntry
 */

const NOTHING = { itemId: null, storeId: null, picture: "" };

/**
 * Parse the typed text and link each entry to a known name.
 * @param {string} text @param {KnownName[]} known @returns {ResolvedEntry[]}
 */
export function resolveEntries(text, known) {
  const byName = new Map(known.map((each) => [foldName(each.name), each]));
  const entries = parseEntries(text, new Set(byName.keys())).filter((typed) => isVisible(typed.name));
  return mergeRepeats(entries.map((typed) => ({ ...typed, ...(byName.get(foldName(typed.name)) ?? NOTHING) })));
}

/** Add up entries that are typed twice. @param {ResolvedEntry[]} entries */
function mergeRepeats(entries) {
  /** @type {Map<string, ResolvedEntry>} */
  const merged = new Map();
  const names = entries.map(({ itemId, name }) => itemId ?? foldName(name));
  for (const [i, entry] of entries.map(countInUnit).entries()) {
    const key = JSON.stringify([names[i], entry.notes]);
    const same = merged.get(key);
    const isRepeated = names.indexOf(names[i]) !== names.lastIndexOf(names[i]);
    const quantity = same ? (same.quantity ?? 1) + (entry.quantity ?? 1) : entry.quantity;
    merged.set(key, { ...(same ?? entry), quantity, isRepeated });
  }
  return [...merged.values()];
}

/** "milk 2 l" is two of an item that is counted in litres. @param {ResolvedEntry} entry */
function countInUnit(entry) {
  const quantity = entry.quantity ? null : countIn(entry.unit ?? "", entry.notes);
  return quantity ? { ...entry, quantity, notes: null } : entry;
}
