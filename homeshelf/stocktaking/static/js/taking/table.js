// The parsed lines of a text, which the user can correct or remove before adding them.
import { formatAmount } from "../amount.js";
import { overrideDefault } from "../override-default.js";
import { foldName } from "../typing/names.js";
import { showPicture } from "../shopping/picture.js";
import { pluralize, words } from "../words.js";

/**
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("./stock.js").Stock} Stock
 * @typedef {import("./stock.js").LineDefaults} LineDefaults
 */
export class LineTable {
  /** @type {LineDefaults} */
  #around = { locationId: "", unit: "", preferredStoreId: "" };

  /** @param {HTMLElement} page @param {Stock} stock @param {(lines: Line[]) => void} add */
  constructor(page, stock, add) {
    this.stock = stock;
    this.form = /** @type {HTMLFormElement} */ (page.querySelector(".take-lines"));
    this.list = /** @type {HTMLElement} */ (this.form.querySelector(".rows"));
    this.row = /** @type {HTMLTemplateElement} */ (document.getElementById("take-line"));
    this.places = /** @type {HTMLElement} */ (this.form.querySelector(".new-places"));
    this.list.addEventListener("input", ({ target }) => this.#updateRow(/** @type {Element} */ (target).closest("li")));
    this.form.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button?.value === "no") this.#close();
      if (button?.value === "leave") this.#removeRow(button.closest("li"));
    });
    this.form.addEventListener("submit", (event) =>
      overrideDefault(event, () => {
        const lines = this.#lines;
        this.#close();
        add(lines);
      }),
    );
  }

  /** @param {Line[]} lines @param {LineDefaults} around */
  show(lines, around) {
    this.#around = around;
    const places = new Map([...this.stock.places].map(([name]) => [foldName(name), name]));
    for (const { place } of lines) if (place && !places.has(foldName(place))) places.set(foldName(place), place);
    const names = [...places.values()];
    this.list.replaceChildren(...lines.map((line) => this.#rowOf(line, names)));
    this.form.hidden = false;
    this.#count();
    /** @type {HTMLElement} */ (this.form.querySelector("h2")).focus();
    this.form.scrollIntoView({ block: "start" });
  }

  /** The lines as edited; an empty field stays empty. @returns {Line[]} */
  get #lines() {
    const makes = this.form.elements.namedItem("makesPlaces");
    const isMade = makes instanceof HTMLInputElement && makes.checked;
    return [...this.list.children].map((row) => {
      const place = field(row, "place").value;
      const isThere = this.#hasPlace(place);
      return {
        name: field(row, "name").value.trim(),
        count: Number(field(row, "quantity").value),
        unit: field(row, "unit").value.trim(),
        notes: field(row, "notes").value.trim(),
        place: isThere || isMade ? place : "",
        written: 1,
      };
    });
  }

  /** @param {Line} line @param {string[]} places */
  #rowOf(line, places) {
    const row = /** @type {HTMLElement} */ (this.row.content.firstElementChild?.cloneNode(true));
    const here = this.#placeName(this.#around.locationId);
    const select = field(row, "place");
    if (select instanceof HTMLSelectElement) {
      select.add(new Option(words("somewhere"), ""));
      for (const name of places) select.add(new Option(name, name));
    }
    const wanted = line.place ? (places.find((name) => foldName(name) === foldName(line.place ?? "")) ?? "") : here;
    const unit = line.unit ?? (line.notes ? "" : this.#around.unit);
    const said = { name: line.name, quantity: String(line.count), unit, notes: line.notes ?? "" };
    const values = { ...said, place: wanted };
    for (const [name, value] of Object.entries(values)) field(row, name).value = value;
    field(row, "notes").hidden = !line.notes;
    row.toggleAttribute("data-added-up", line.written > 1);
    row.querySelector("button")?.setAttribute("aria-label", words("leaveOut", { name: line.name }));
    this.#updateRow(row);
    return row;
  }

  /** @param {Element | null} row */
  #updateRow(row) {
    if (!row) return;
    const name = field(row, "name");
    const there = this.stock.findItem(name.value, field(row, "place").value, this.#around);
    const small = row.querySelector(".sum");
    showPicture(row.querySelector(".picture"), name.value, this.stock.picture(name.value, there?.picture));
    const longest = /** @type {HTMLInputElement} */ (name).maxLength;
    name.setCustomValidity(name.value.length > longest ? words("tooLong", { most: longest }) : "");
    for (const each of ["unit", "notes", "place"]) field(row, each).disabled = Boolean(there);
    if (there) {
      field(row, "unit").value = there.unit;
      field(row, "place").value = this.#placeName(there.locationId);
    }
    const now = there ? this.stock.count(there).count : 0;
    const sum = now + Number(field(row, "quantity").value);
    const amount = (/** @type {number} */ count) => formatAmount(count, there?.unit);
    if (small) small.textContent = there ? words("takenSum", { now: amount(now), sum: amount(sum) }) : "";
    this.#count();
  }

  /** @param {Element | null} row */
  #removeRow(row) {
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    row?.remove();
    if (!next) return this.#close();
    next.querySelector("input")?.focus();
    this.#count();
  }

  /** Flag names that were added up or stand in two rows. */
  #markRepeats() {
    const rows = [...this.list.children];
    const names = rows.map((row) => foldName(field(row, "name").value));
    for (const [i, row] of rows.entries()) {
      const isRepeated = names.indexOf(names[i]) !== names.lastIndexOf(names[i]);
      row.querySelector(".repeated")?.toggleAttribute("hidden", !isRepeated && !row.hasAttribute("data-added-up"));
    }
  }

  #count() {
    this.#markRepeats();
    const button = this.form.querySelector(".take-all");
    if (button) button.textContent = pluralize("addAll", this.list.children.length);
    const wanted = [...this.list.children].map((row) => field(row, "place")).filter(({ disabled }) => !disabled);
    const missing = new Set(wanted.map(({ value }) => value).filter((name) => name && !this.#hasPlace(name)));
    this.places.hidden = !missing.size;
    const line = this.places.querySelector("span");
    const names = new Intl.ListFormat(document.documentElement.lang).format(missing);
    if (line) line.textContent = words(missing.size > 1 ? "makePlaces" : "makePlace", { names });
  }

  /** @param {string} place */
  #hasPlace(place) {
    return [...this.stock.places.keys()].some((name) => foldName(name) === foldName(place));
  }

  /** @param {string} locationId */
  #placeName(locationId) {
    return [...this.stock.places].find(([, id]) => id === locationId)?.[0] ?? "";
  }

  #close() {
    this.form.hidden = true;
    this.list.replaceChildren();
  }
}

/** @param {Element} row @param {string} name */
function field(row, name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (row.querySelector(`[name="${name}"]`));
}
