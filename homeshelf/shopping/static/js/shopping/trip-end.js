// Put purchased entries away, all at once or one by one.
import { overrideDefault } from "../override-default.js";
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { askQuestion } from "./question-dialog.js";
import { draftPutAway, draftTakeBack } from "./changes.js";
import { pickItem } from "./item-picker.js";
import { selectToPutAway } from "./entry-filters.js";

/**
 * @typedef {import("./list.js").ShoppingList} ShoppingList
 * @typedef {import("./pending-view.js").Entry} Entry
 */

/** @param {ShoppingList} list */
export function enableTripEnd(list) {
  const form = list.querySelector(".trip-end");
  const all = (isAside = false) => selectToPutAway(list.state.shown, list.at, isAside);
  form?.addEventListener("submit", (event) => overrideDefault(event, () => putAllAway(list, all(), 0, all(true))));
  list.addEventListener("homeshelf:drawn", () => {
    const count = all().length;
    form?.toggleAttribute("hidden", count === 0);
    const said = form?.querySelector(".trip-count");
    if (said && count) said.textContent = pluralize("tripEnd", count);
  });
}

/**
 * Put an entry away, or undo that.
 * @param {ShoppingList} list @param {string} id @param {number} [quantity] the quantity of the entry by default
 */
export async function putAway(list, id, quantity) {
  const entry = list.state.entry(id);
  list.stir();
  if (entry?.putAwayAt) list.state.act(draftTakeBack(entry));
  else if (entry) await putAllAway(list, [entry], quantity && { quantity });
}

/**
 * @param {ShoppingList} list @param {Entry[]} entries
 * @param {{quantity: number} | 0} [many] @param {Entry[]} [left]
 */
async function putAllAway(list, entries, many, left = []) {
  /** @type {import("../queue/change.js").Draft[]} */
  const drafts = [];
  for (const entry of entries) {
    const how = entry.itemId ? {} : await askStockChoice(list, entry);
    if (how) drafts.push(draftPutAway(entry, { ...how, ...many }));
  }
  const stayed = left.length ? describeArchived(list, left) : "";
  if (!drafts.length) return stayed && toast(stayed);
  list.state.act(...drafts);
  const undo = () => {
    const there = drafts.map(({ about }) => list.state.entry(about));
    list.state.act(...there.filter((entry) => entry !== undefined).map(draftTakeBack));
  };
  const [{ label: name }] = drafts;
  const away = drafts.length > 1 ? pluralize("allAway", drafts.length) : words("putAway", { name });
  toast([away, stayed].join(" "), { undo });
}

/** Open the drawer and name the archived items. @param {ShoppingList} list @param {Entry[]} left */
function describeArchived(list, left) {
  list.querySelector(".bought")?.setAttribute("open", "");
  const names = new Intl.ListFormat(document.documentElement.lang).format(left.map(({ name }) => name));
  return pluralize("stayed", left.length, { names });
}

/**
 * Ask which item the free text becomes. @param {ShoppingList} list @param {Entry} entry
 * @returns {Promise<{asNewItem?: true, itemId?: string, withoutItem?: true} | null>}
 */
async function askStockChoice(list, { name }) {
  const answer = await askQuestion(words("isItStock", { name }), "", [
    { word: words("newItem"), means: "new" },
    { word: words("oneOfThese"), means: "there" },
    { word: words("simplyDone"), means: "done" },
  ]);
  if (answer === "new") return { asNewItem: true };
  if (answer === "done") return { withoutItem: true };
  const itemId = answer && (await pickItem(list.state.kept.known, name));
  return itemId ? { itemId } : null;
}
