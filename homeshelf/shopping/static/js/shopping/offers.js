// Complete typed names from a list above the field.
import { foldName } from "../typing/names.js";
import { Combobox } from "./combobox.js";
import { findNameStarts } from "./entry-parser.js";

/** @typedef {{name: string, picture: string}} KnownName */
const MOST = 6;

/** @param {import("./list.js").ShoppingList} list */
export function enableOffers(list) {
  const input = /** @type {HTMLInputElement | null} */ (document.getElementById("text"));
  const place = document.getElementById("offers");
  if (input && place) offerNames(input, place, () => list.state.kept.known);
}

/** @param {HTMLInputElement} input @param {HTMLElement} place of the offers @param {() => KnownName[]} known */
export function offerNames(input, place, known) {
  const offers = new Combobox(input, place, {
    find: () => findMatches(known(), typedName(input.value, known())),
    take({ name }) {
      const { value } = input;
      input.value = value.slice(0, value.length - typedName(value, known()).length) + name;
      input.form?.requestSubmit();
    },
  });
  input.form?.addEventListener("submit", () => offers.close(), { capture: true });
}

/**
 * Return the name without other entries, counts and amounts before it.
 * @param {string} text @param {KnownName[]} known
 */
function typedName(text, known) {
  return findNameStarts(text).find((each) => findMatches(known, each).length) ?? "";
}

/** Names that begin so come before those of which a word does. @param {KnownName[]} known @param {string} typed */
function findMatches(known, typed) {
  const wanted = foldName(typed);
  if (!wanted) return [];
  const rank = (/** @type {string} */ name) => (name.startsWith(wanted) ? 2 : name.includes(` ${wanted}`) ? 1 : 0);
  const ranked = known.map((each) => ({ each, rank: rank(foldName(each.name)) })).filter((found) => found.rank);
  return ranked.sort((a, b) => b.rank - a.rank).slice(0, MOST).map(({ each }) => each);
}
