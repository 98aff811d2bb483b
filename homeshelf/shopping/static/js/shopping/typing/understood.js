// A chip at a field that shows how its text is understood. Pressing it changes to the next reading.
import { formatAmount } from "../../amount.js";
import { words } from "../../words.js";
import { pictureOf } from "../picture.js";

/**
 * @typedef {{name: string, picture?: string, count: number | null, unit?: string | null, notes?: string | null,
 *   place?: string | null}} Shown
 * @typedef {{shown: Shown[], isTyped?: boolean}} Reading `isTyped` if the whole text is the name
 */
const MOST = 2;
const PAUSE = 700; // a screen reader is told after a pause in typing

/** @template {Reading} R */
export class Understood {
  #text = "";
  #at = 0;
  #timer = 0;

  /** @param {HTMLInputElement} input @param {Element} before @param {(text: string) => R[]} read all readings */
  constructor(input, before, read) {
    this.input = input;
    this.read = read;
    this.place = document.createElement("div");
    this.place.className = "understood";
    this.chip = document.createElement("button");
    this.chip.type = "button";
    this.chip.className = "chip";
    this.status = document.createElement("span");
    this.status.className = "visually-hidden";
    this.status.role = "status";
    this.place.append(this.chip, this.status);
    before.after(this.place);
    this.chip.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    this.chip.addEventListener("click", () => this.#draw(this.#at + 1));
    input.addEventListener("input", () => this.update());
    input.form?.addEventListener("submit", () => setTimeout(() => this.update()), { capture: true });
    this.update();
  }

  /** The reading of a text that was chosen with the chip. @param {string} text @returns {R | null} */
  chosen(text) {
    return this.#at && text.trim() === this.#text ? this.#readings[this.#at] : null;
  }

  update() {
    const text = this.input.value.trim();
    if (text !== this.#text) this.#at = 0;
    this.#text = text;
    this.#draw(this.#at);
  }

  /** Different readings; what the text is without the chip comes first. */
  get #readings() {
    const found = this.#text ? this.read(this.#text) : [];
    const keys = found.map(({ shown }) => JSON.stringify(shown));
    return found.filter(({ shown }, i) => shown.length && keys.indexOf(keys[i]) === i);
  }

  /** @param {number} at */
  #draw(at) {
    const readings = this.#readings;
    this.#at = readings.length ? at % readings.length : 0;
    const reading = readings[this.#at];
    this.chip.hidden = !reading;
    this.chip.disabled = readings.length < 2;
    clearTimeout(this.#timer);
    if (!reading) return;
    this.chip.replaceChildren(...reading.shown.slice(0, MOST).map((each) => partOf(each)));
    const more = reading.shown.length - MOST;
    if (more > 0) this.chip.append(` + ${more}`);
    if (reading.isTyped) this.chip.append(smallOf(words("asTyped")));
    const what = reading.shown.map(describe).join(", ");
    this.chip.setAttribute("aria-label", words(readings.length > 1 ? "understoodPress" : "understood", { what }));
    this.#timer = setTimeout(() => (this.status.textContent = words("understood", { what })), PAUSE);
  }
}

/** @param {Shown} shown */
function partOf(shown) {
  const part = document.createElement("bdi");
  part.append(pictureOf(shown.name, shown.picture ?? ""), describe(shown));
  return part;
}

/** @param {string} text */
function smallOf(text) {
  const small = document.createElement("small");
  small.textContent = text;
  return small;
}

/** @param {Shown} shown */
function describe({ name, count, unit, notes, place }) {
  const isPack = !unit && /^\p{Nd}/u.test(notes ?? "");
  const amount = count && (count > 1 || unit || isPack) ? formatAmount(count, isPack ? notes : unit) : "";
  return [name, amount, isPack && count ? "" : notes, place].filter(Boolean).join(" · ");
}
