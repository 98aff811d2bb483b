// What this family has or had on its list, by name.
import { isVisible, foldName } from "../typing/names.js";
import { understood } from "./typed.js";

/**
 * @typedef {{name: string, itemId: string | null, storeId: string | null, picture: string}} Known
 * @typedef {import("./typed.js").TypedEntry & Omit<Known, "name">} Wanted
 */

const NOTHING = { itemId: null, storeId: null, picture: "" };

/**
 * What somebody typed, with the things that are meant.
 * @param {string} text @param {Known[]} known @returns {Wanted[]}
 */
export function wanted(text, known) {
  const byName = new Map(known.map((each) => [foldName(each.name), each]));
  const entries = understood(text, new Set(byName.keys())).filter((typed) => isVisible(typed.name));
  return entries.map((typed) => {
    const { name, itemId, storeId, picture } = byName.get(foldName(typed.name)) ?? { ...NOTHING, name: typed.name };
    return { ...typed, name, itemId, storeId, picture };
  });
}
