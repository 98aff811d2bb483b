// Choose one of the offered things by typing, with the keyboard or a tap.
import { pictureOf } from "./picture.js";

/** @typedef {{name: string, picture: string, itemId?: string | null}} Offer */

export class Combobox {
  active = -1;
  /** @type {Offer[]} */
  offered = [];

  /**
   * @param {HTMLInputElement} input @param {HTMLElement} place of the options
   * @param {{find: () => Offer[], take: (offer: Offer) => void}} rules
   */
  constructor(input, place, { find, take }) {
    this.input = input;
    this.place = place;
    this.find = find;
    this.take = take;
    const attributes = { role: "combobox", "aria-controls": place.id, "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    input.addEventListener("input", () => this.offer());
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.close());
    place.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    place.addEventListener("click", (event) => {
      const option = /** @type {Element} */ (event.target).closest("li");
      if (option) this.take(this.offered[[...place.children].indexOf(option)]);
    });
    this.close();
  }

  offer() {
    this.offered = this.find();
    this.place.replaceChildren(...this.offered.map((each, i) => option(each, `${this.place.id}-${i}`)));
    this.#open(this.offered.length > 0);
    this.#activate(-1);
  }

  close() {
    this.#open(false);
    this.#activate(-1);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { length } = this.place.children;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (this.place.hidden || event.isComposing) return;
    if (step) this.#activate(((this.active + step + length + 2) % (length + 1)) - 1);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.active >= 0) this.take(this.offered[this.active]);
    else return;
    event.preventDefault();
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
}

/** @param {Offer} offer @param {string} id */
function option({ name, picture }, id) {
  const made = document.createElement("li");
  made.id = id;
  made.role = "option";
  made.dataset.name = name;
  made.append(pictureOf(name, picture), name);
  return made;
}
