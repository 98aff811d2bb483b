// Unit words: a few at first, all of them when the user starts typing.
import { foldName } from "../typing/names.js";

const FEW = new Set(["mg", "g", "kg", "ml", "cl", "dl", "l", "cm", "m"]);
const NO_THINGS = new Set([...FEW, "x", "%", "in"]);
/** @type {Record<string, Set<string>>} */
let words = { SHORT_MEASURES: FEW, MEASURES: FEW, UNITS: FEW, UNITS_OF: FEW, NO_THINGS };

/** Loads all unit words; without them, the few words above are enough. */
export async function loadUnits() {
  words = await import("./typing/units.js").catch(() => words);
}

/** @param {string} kind as `units.js` calls it @param {string} text */
export function isWord(kind, text) {
  return words[kind]?.has(foldWord(text)) ?? false;
}

/** Fold case, accents, full stops and the two Arabic endings for a lookup. @param {string} text */
export function foldWord(text) {
  return foldName(text).replace(/\.+$/, "").replaceAll("\u0629", "\u0647");
}
