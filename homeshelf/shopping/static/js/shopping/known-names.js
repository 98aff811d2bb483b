// Match typed entries with known names of the family.
import { isVisible, foldName } from "../typing/names.js";
import { parseEntries } from "./entry-parser.js";

/**
 * @typedef {{name: string, itemId: string | null, storeId: string | null, picture: string}} KnownName
 * @typedef {import("./entry-parser.js").TypedEntry & Omit<KnownName, "name">} ResolvedEntry
 */

const NOTHING = { itemId: null, storeId: null, picture: "" };

/**
 * Parse the typed text and link each entry to a known name.
 * @param {string} text @param {KnownName[]} known @returns {ResolvedEntry[]}
 */
export function resolveEntries(text, known) {
  const byName = new Map(known.map((each) => [foldName(each.name), each]));
  const entries = parseEntries(text, new Set(byName.keys())).filter((typed) => isVisible(typed.name));
  return entries.map((typed) => {
    const { name, itemId, storeId, picture } = byName.get(foldName(typed.name)) ?? { ...NOTHING, name: typed.name };
    return { ...typed, name, itemId, storeId, picture };
  });
}
