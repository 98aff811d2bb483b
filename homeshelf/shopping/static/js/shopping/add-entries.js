// Add typed entries to the list at once, with or without a connection.
import { formatAmount } from "../amount.js";
import { overrideDefault } from "../override-default.js";
import { newUuid } from "../uuid.js";
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { askQuestion } from "./question-dialog.js";
import { draftAddition, draftEdit, draftRemoval } from "./changes.js";
import { resolveEntries } from "./known-names.js";
import { loadUnits } from "./unit-words.js";
import { foldName } from "../typing/names.js";
import { reviewEntries } from "./review-dialog.js";

/**
 * @typedef {import("./list.js").ShoppingList} ShoppingList
 * @typedef {import("./known-names.js").ResolvedEntry} ResolvedEntry
 */
const MANY = 3; // longer lists are reviewed before they are added
const LONGEST = 100;

/** @param {ShoppingList} list */
export function enableQuickAdd(list) {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".quick-add"));
  const input = /** @type {HTMLInputElement | null} */ (form?.elements.namedItem("text"));
  if (!form || !input) return;
  input.addEventListener("focus", () => showUnderstood(list, input));
  form.addEventListener("submit", (event) => overrideDefault(event, () => add(list, input, input.value)));
  showSharedText(list, input);
  input.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (!pasted.trim().includes("\n")) return; // the field would join several lines
    overrideDefault(event, () => add(list, input, `${input.value}\n${pasted}`));
  });
}

/**
 * Show the text that another app shared, which a person adds by pressing Enter or after reviewing its lines.
 * @param {ShoppingList} list @param {HTMLInputElement} input
 */
function showSharedText(list, input) {
  const url = new URL(location.href);
  const text = (url.searchParams.get("shared") || url.searchParams.get("title") || "").trim();
  if (text || url.hash === `#${input.id}`) input.focus();
  if (!text) return;
  for (const name of ["shared", "title"]) url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
  if (text.includes("\n")) add(list, input, text, true);
  else input.value = text;
}

/** @type {import("./typing/understood.js").Understood<import("./typing/list-readings.js").EntryReading> | undefined} */
let understood;

/**
 * Show how the text is understood, with all words for amounts.
 * @param {ShoppingList} list @param {HTMLInputElement} input
 */
async function showUnderstood(list, input) {
  await loadUnits();
  const loaded = await import("./typing/list-readings.js").catch(() => null); // nothing waits for the chip
  understood ??= loaded?.showReadings(list, input, resolveEntries);
}

/** @param {ShoppingList} list @param {HTMLInputElement} input @param {string} text @param {boolean} [isShared] */
async function add(list, input, text, isShared = false) {
  const all = understood?.chosen(text)?.entries ?? resolveEntries(text, list.state.kept.known);
  if (!all.length) return;
  if (all.some(({ name }) => name.length > LONGEST)) return toast(words("tooLong", { most: LONGEST }));
  input.value = "";
  input.focus();
  const chosen = all.length > MANY || isShared ? await reviewEntries(all) : all;
  if (chosen) await addEntries(list, chosen);
  else input.value = text;
}

/** @param {ShoppingList} list @param {ResolvedEntry[]} wanted */
export async function addEntries(list, wanted) {
  const drafts = [];
  for (const each of wanted) drafts.push(await createDraft(list, each));
  const made = drafts.filter((draft) => draft !== null);
  if (!made.length) return;
  const acting = list.state.act(...made);
  list.show(made.map(({ about }) => about));
  const undo = () => undoAdditions(list, made);
  const [{ label: name }] = made;
  toast(made.length > 1 ? pluralize("severalAdded", made.length) : words("added", { name }), { undo });
  await acting;
}

/**
 * Ask whether to add more of an entry that is on the list already, or another one.
 * @param {ShoppingList} list @param {ResolvedEntry} wanted
 */
async function createDraft(list, wanted) {
  const { at } = list;
  const entry = { ...wanted, shoppingItemId: newUuid(), storeId: at || wanted.storeId };
  const there = list.state.shown.entries.find((each) => each.status === "pending" && isSame(each, wanted));
  if (!there) return draftAddition(entry);
  const more = (there.quantity ?? 1) + (wanted.quantity ?? 1);
  const count = formatAmount(more, there.unit);
  const isAlike = !wanted.notes || wanted.notes === there.notes;
  const title = words(wanted.itemId || !isAlike ? "thereAlready" : "makeIt", { name: there.name, count });
  const again = { word: words("addAnother"), means: "again" };
  const made = { word: words("makeMore", { count }), means: "more" };
  const alike = wanted.itemId ? [again, made] : [made, again];
  const choices = isAlike ? alike : [again];
  const answer = await askQuestion(title, there.notes ?? "", [...choices, { word: words("neverMind"), means: "no" }]);
  if (answer === "more") return draftEdit(there, { quantity: more });
  return answer === "again" ? draftAddition(entry, true) : null;
}

/** @param {import("./pending-view.js").Entry} there @param {ResolvedEntry} wanted */
function isSame(there, { itemId, name }) {
  return there.itemId && itemId ? there.itemId === itemId : foldName(there.name) === foldName(name);
}

/** @param {ShoppingList} list @param {import("../queue/change.js").Draft[]} made */
function undoAdditions(list, made) {
  const drafts = made.map(({ kind, about, seen }) => {
    const entry = list.state.entry(about);
    if (!entry) return null;
    return kind === "entry.edit" ? draftEdit(entry, { quantity: seen?.quantity ?? null }) : draftRemoval(entry);
  });
  list.state.act(...drafts.filter((draft) => draft !== null));
}
