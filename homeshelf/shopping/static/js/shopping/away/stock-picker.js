// What free text becomes in the stock: a new item, an existing one, or nothing.
import { firstWord, foldName } from "../../typing/names.js";
import { words } from "../../words.js";
import { Combobox } from "../combobox.js";

/** @typedef {import("../known-names.js").KnownName} KnownName */
const MOST = 5;

export class StockPicker {
  /** @type {KnownName | undefined} */
  item;

  /** @param {HTMLElement} place @param {{shoppingItemId: string, name: string}} entry @param {KnownName[]} known */
  constructor(place, { shoppingItemId, name }, known) {
    this.place = place;
    this.name = name;
    this.items = known.filter(({ itemId }) => itemId);
    this.input = /** @type {HTMLInputElement} */ (place.querySelector(".trip-match .input"));
    const options = /** @type {HTMLElement} */ (place.querySelector(".trip-matches"));
    options.id = `matches-${shoppingItemId}`;
    this.offers = new Combobox(this.input, options, {
      find: () => this.#find(),
      take: (offer) => this.#take(/** @type {KnownName} */ (offer)),
    });
    this.input.addEventListener("input", () => this.#take(undefined));
    this.input.addEventListener("keydown", (event) => {
      const [first] = this.offers.offered;
      if (event.key !== "Enter" || event.defaultPrevented || this.item || !first) return;
      event.preventDefault();
      this.#take(/** @type {KnownName} */ (first));
    });
    this.input.addEventListener("focus", () => this.item || this.offers.offer());
    place.addEventListener("change", () => this.#choose());
    const same = this.items.find((each) => foldName(each.name) === foldName(name));
    if (same) {
      /** @type {HTMLInputElement} */ (place.querySelector("[value=match]")).checked = true;
      this.#take(same);
    }
    this.input.disabled = !same;
  }

  get choice() {
    if (this.#stock === "new") return { asNewItem: /** @type {true} */ (true) };
    if (this.#stock === "none") return { withoutItem: /** @type {true} */ (true) };
    return { itemId: this.item?.itemId ?? "" };
  }

  get #stock() {
    return /** @type {HTMLInputElement} */ (this.place.querySelector(":checked")).value;
  }

  #choose() {
    this.input.disabled = this.#stock !== "match";
    if (this.input.disabled) return;
    this.#take(this.item);
    this.input.focus();
  }

  /** Names that begin like the typed text come first, and without a text those most like the entry. */
  #find() {
    const typed = foldName(this.input.value);
    const like = typed || firstWord(this.name);
    const found = this.items.filter((each) => !typed || foldName(each.name).includes(typed));
    const rank = (/** @type {KnownName} */ { name }) =>
      Number(foldName(name).startsWith(like)) + Number(foldName(name).includes(like));
    return found.sort((a, b) => rank(b) - rank(a)).slice(0, MOST);
  }

  /** @param {KnownName | undefined} item */
  #take(item) {
    this.item = item;
    this.input.setCustomValidity(item ? "" : words("chooseItem"));
    if (!item) return;
    this.input.value = item.name;
    this.offers.close();
  }
}
