// Put purchased entries away, all on one sheet or one by one.
import { overrideDefault } from "../override-default.js";
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { draftPutAway, draftTakeBack } from "./changes.js";
import { selectToPutAway } from "./entry-filters.js";

/**
 * @typedef {import("./list.js").ShoppingList} ShoppingList
 * @typedef {import("./pending-view.js").Entry} Entry
 * @typedef {{entry: Entry, how: Parameters<typeof draftPutAway>[1]}} Choice
 */

/** @param {ShoppingList} list */
export function enableTripEnd(list) {
  const place = list.querySelector(".trip-end");
  const link = place?.querySelector("a");
  const all = (isAside = false) => selectToPutAway(list.state.shown, list.at, isAside);
  link?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    overrideDefault(event, () => openSheet(list, all(), all(true)));
  });
  list.addEventListener("homeshelf:drawn", () => {
    const count = all().length + all(true).length;
    place?.toggleAttribute("hidden", count === 0);
    link?.setAttribute("href", `/list/put-away-all${list.at ? `?at=${list.at}` : ""}`);
    const said = place?.querySelector(".trip-count");
    if (!said || !count) return;
    said.textContent = pluralize("tripEnd", count);
    loadSheet().catch(() => {}); // before the signal is gone
  });
}

/**
 * Put an entry away, or undo that. Free text needs a choice.
 * @param {ShoppingList} list @param {string} id @param {number} [quantity] the quantity of the entry by default
 */
export async function putAway(list, id, quantity) {
  const entry = list.state.entry(id);
  list.stir();
  if (entry?.putAwayAt) list.state.act(draftTakeBack(entry));
  else if (entry?.itemId) finish(list, [{ entry, how: quantity ? { quantity } : {} }]);
  else if (entry) await openSheet(list, [{ ...entry, quantity: quantity ?? entry.quantity }]);
}

function loadSheet() {
  return import("./away/sheet.js");
}

/** @param {ShoppingList} list @param {Entry[]} entries @param {Entry[]} [aside] those of archived items */
async function openSheet(list, entries, aside = []) {
  const module = await loadSheet().catch(() => null);
  if (module) module.openTripSheet(list, entries, aside, (/** @type {Choice[]} */ choices) => finish(list, choices));
  else toast(words("failed"));
}

/** @param {ShoppingList} list @param {Choice[]} choices */
function finish(list, choices) {
  if (!choices.length) return;
  const drafts = choices.map(({ entry, how }) => draftPutAway(entry, how));
  list.stir();
  list.state.act(...drafts);
  const undo = () => {
    const lost = new Set(list.state.lost.map(({ about }) => about)); // another member has put them away
    const there = drafts.filter(({ about }) => !lost.has(about)).map(({ about }) => list.state.entry(about));
    list.state.act(...there.filter((entry) => entry !== undefined).map(draftTakeBack));
  };
  const [{ label: name }] = drafts;
  toast(drafts.length > 1 ? pluralize("allAway", drafts.length) : words("putAway", { name }), { undo });
}
