// Everything that was bought on a trip: how many of each, what free text becomes, and one press for all.
import { words } from "../../words.js";
import { showPicture } from "../picture.js";
import { StockPicker } from "./stock-picker.js";

/**
 * @typedef {import("../list.js").ShoppingList} ShoppingList
 * @typedef {import("../pending-view.js").Entry} Entry
 * @typedef {import("../trip-end.js").Choice} Choice
 */

/**
 * @param {ShoppingList} list @param {Entry[]} entries @param {Entry[]} aside those of archived items
 * @param {(choices: Choice[]) => void} finish
 */
export function openTripSheet(list, entries, aside, finish) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("trip"));
  const known = list.state.kept.known;
  const lines = entries.toSorted(byChoiceAndPlace).map((entry) => new Line(entry, known));
  dialog.querySelector(".trip-rows")?.replaceChildren(...lines.map(({ row }) => row));
  const archived = dialog.querySelector(".trip-archived");
  archived?.toggleAttribute("hidden", !aside.length);
  archived?.querySelector("ul")?.replaceChildren(...aside.map(createLink));
  for (const part of dialog.querySelectorAll(".trip-rows, .button-main"))
    part.toggleAttribute("hidden", !lines.length);
  const check = () => {
    for (const line of lines) line.check(list.state.entry(line.entry.shoppingItemId));
  };
  list.addEventListener("homeshelf:drawn", check);
  dialog.returnValue = "";
  dialog.addEventListener(
    "close",
    () => {
      list.removeEventListener("homeshelf:drawn", check);
      if (dialog.returnValue) finish(lines.filter(({ isGone }) => !isGone).map((line) => line.choice));
    },
    { once: true },
  );
  dialog.showModal();
}

/** Free text first, because it needs a choice. @param {Entry} a @param {Entry} b */
function byChoiceAndPlace(a, b) {
  const first = Number(Boolean(a.itemId)) - Number(Boolean(b.itemId));
  return first || (a.place ?? "").localeCompare(b.place ?? "") || a.name.localeCompare(b.name);
}

class Line {
  /** Another member has put it away, removed it, or put it back on the list. */
  isGone = false;
  /** @type {StockPicker | undefined} */
  picker;

  /** @param {Entry} entry @param {import("../known-names.js").KnownName[]} known */
  constructor(entry, known) {
    this.entry = entry;
    const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("trip-row"));
    this.row = /** @type {HTMLLIElement} */ (content.querySelector("li")?.cloneNode(true));
    this.quantity = /** @type {HTMLInputElement} */ (this.row.querySelector(".trip-quantity"));
    this.#fill(entry);
    const choices = /** @type {HTMLFieldSetElement} */ (this.row.querySelector(".trip-choice"));
    if (entry.itemId) choices.remove();
    else this.picker = new StockPicker(choices, entry, known);
    this.row.addEventListener("click", (event) => this.#step(/** @type {Element} */ (event.target)));
  }

  /** @returns {Choice} */
  get choice() {
    return { entry: this.entry, how: { quantity: Number(this.quantity.value), ...this.picker?.choice } };
  }

  /** @param {Entry | undefined} now */
  check(now) {
    const { name } = this.entry;
    if (this.isGone || (now?.status === "purchased" && !now.putAwayAt)) return;
    this.isGone = true;
    const why = now?.putAwayAt ? "awayMeanwhileToo" : now ? "toBuy" : "deletedMeanwhile";
    this.row.classList.add("trip-gone");
    this.row.role = "status";
    this.row.textContent = words(why, { name });
  }

  /** @param {Entry} entry */
  #fill({ shoppingItemId: id, name, picture, place, notes, quantity }) {
    const { row } = this;
    showPicture(row.querySelector(".picture"), name, picture);
    for (const [part, text] of [[".entry-name", name], [".trip-place", place ?? ""], [".entry-notes", notes ?? ""]]) {
      const found = /** @type {Element} */ (row.querySelector(part));
      found.textContent = text;
      found.toggleAttribute("hidden", !text);
    }
    this.quantity.value = String(quantity ?? 1);
    this.quantity.ariaLabel = words("howManyAway", { name });
    row.querySelector("[data-by='1']")?.setAttribute("aria-label", words("oneMore", { name }));
    row.querySelector("[data-by='-1']")?.setAttribute("aria-label", words("oneLess", { name }));
    /** @type {Element} */ (row.querySelector("legend")).textContent = words("isItStock", { name });
    for (const input of row.querySelectorAll("[type=radio]")) input.setAttribute("name", `${id}.stock`);
  }

  /** @param {Element} target */
  #step(target) {
    const by = /** @type {HTMLElement | null} */ (target.closest("[data-by]"))?.dataset.by;
    const { min, max, value } = this.quantity;
    const next = Number(value) + Number(by);
    if (by && next >= Number(min) && next <= Number(max)) this.quantity.value = String(next);
  }
}

/** @param {Entry} entry */
function createLink({ name, itemId, picture }) {
  const line = document.createElement("li");
  const link = document.createElement("a");
  link.className = "row";
  link.href = `/stock/${itemId}`;
  const place = document.createElement("span");
  showPicture(place, name, picture);
  place.ariaHidden = "true";
  link.append(place, words("isAside", { name }));
  line.append(link);
  return line;
}
