// The readings of what is typed on the list. Loaded when the person starts typing; the page passes its parser, because
// this bundle would have another one, without the words that the page has loaded.
import { Understood } from "./understood.js";

/**
 * @typedef {import("../list.js").ShoppingList} ShoppingList
 * @typedef {import("../known-names.js").ResolvedEntry} ResolvedEntry
 * @typedef {(text: string, known: import("../known-names.js").KnownName[]) => ResolvedEntry[]} Resolve
 * @typedef {import("./understood.js").Reading & {entries: ResolvedEntry[]}} EntryReading
 */
const COUNT_LAST = /^(?<name>.+) \p{Nd}{1,3}$/u;

/** @param {ShoppingList} list @param {HTMLInputElement} input @param {Resolve} resolve */
export function showReadings(list, input, resolve) {
  return new Understood(input, input, (text) => readingsOf(list, text, resolve));
}

/**
 * "Milk 2" is a name, unless milk is known; the second reading says two.
 * @param {ShoppingList} list @param {string} text @param {Resolve} resolve
 */
function readingsOf(list, text, resolve) {
  const { known } = list.state.kept;
  const nothing = { itemId: null, storeId: null, picture: "" };
  const name = COUNT_LAST.exec(text)?.groups?.name ?? text;
  return [
    readingOf(list, resolve(text, known)),
    readingOf(list, resolve(text, [{ ...nothing, name }, ...known])),
    { ...readingOf(list, [{ ...nothing, name: text, quantity: null, notes: null }]), isTyped: true },
  ];
}

/** @param {ShoppingList} list @param {ResolvedEntry[]} entries @returns {EntryReading} */
function readingOf({ at, state }, entries) {
  const shown = entries.map(({ name, picture, quantity, unit, notes, storeId }) => {
    const store = state.kept.stores.find((/** @type {any} */ each) => each.storeId === (at || storeId));
    return { name, picture, count: quantity ?? (unit ? 1 : null), unit, notes, place: at ? "" : store?.name };
  });
  return { entries, shown };
}
