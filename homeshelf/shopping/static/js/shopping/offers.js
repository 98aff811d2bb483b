// Complete typed names from a list above the field.
import { foldName } from "../typing/names.js";
import { pictureOf } from "./picture.js";
import { findNameStarts } from "./entry-parser.js";

/** @typedef {{name: string, picture: string}} KnownName */
const MOST = 6;

/** @param {import("./list.js").ShoppingList} list */
export function enableOffers(list) {
  const input = /** @type {HTMLInputElement | null} */ (document.getElementById("text"));
  const place = document.getElementById("offers");
  if (input && place) new Offers(input, place, () => list.state.kept.known);
}

export class Offers {
  active = -1;

  /** @param {HTMLInputElement} input @param {HTMLElement} place @param {() => KnownName[]} known */
  constructor(input, place, known) {
    this.input = input;
    this.place = place;
    this.known = known;
    const attributes = { role: "combobox", "aria-controls": place.id, "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    input.addEventListener("input", () => this.offer());
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.#close());
    input.form?.addEventListener("submit", () => this.#close(), { capture: true });
    place.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    place.addEventListener("click", (event) => {
      const option = /** @type {Element} */ (event.target).closest("li");
      if (option) this.#take(option);
    });
    this.#close();
  }

  offer() {
    const found = findMatches(this.known(), this.#typed);
    this.place.replaceChildren(...found.map(option));
    this.#open(found.length > 0);
    this.#activate(-1);
  }

  /** Without what is before it: other things, how many, and how much of it. */
  get #typed() {
    const all = findNameStarts(this.input.value);
    return all.find((each) => findMatches(this.known(), each).length) ?? "";
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { length } = this.place.children;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (this.place.hidden || event.isComposing) return;
    if (step) this.#activate(((this.active + step + length + 2) % (length + 1)) - 1);
    else if (event.key === "Escape") this.#close();
    else if (event.key === "Enter" && this.active >= 0) this.#take(this.place.children[this.active]);
    else return;
    event.preventDefault();
  }

  /** @param {Element} option */
  #take(option) {
    const { value } = this.input;
    const before = value.slice(0, value.length - this.#typed.length);
    this.input.value = before + /** @type {HTMLElement} */ (option).dataset.name;
    this.input.form?.requestSubmit();
  }

  /** @param {number} at none is -1 */
  #activate(at) {
    this.active = at;
    const options = [...this.place.children];
    for (const [i, option] of options.entries()) option.setAttribute("aria-selected", String(i === at));
    const chosen = this.place.children[at];
    if (chosen) this.input.setAttribute("aria-activedescendant", chosen.id);
    else this.input.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.place.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  #close() {
    this.#open(false);
    this.#activate(-1);
  }
}

/** Names that begin so come before those of which a word does. @param {KnownName[]} known @param {string} typed */
function findMatches(known, typed) {
  const wanted = foldName(typed);
  if (!wanted) return [];
  const rank = (/** @type {string} */ name) => (name.startsWith(wanted) ? 2 : name.includes(` ${wanted}`) ? 1 : 0);
  const ranked = known.map((each) => ({ each, rank: rank(foldName(each.name)) })).filter((found) => found.rank);
  return ranked.sort((a, b) => b.rank - a.rank).slice(0, MOST).map(({ each }) => each);
}

/** @param {KnownName} known @param {number} i */
function option({ name, picture }, i) {
  const made = document.createElement("li");
  made.id = `offer-${i}`;
  made.role = "option";
  made.dataset.name = name;
  made.append(pictureOf(name, picture), name);
  return made;
}
