// `<stock-taking>`: one thing after the other, a list, or what was ticked. It is on the phone at once, whatever the
// line does.
import { overrideDefault } from "../override-default.js";
import { isBarcode } from "../scanning/barcodes.js";
import { loadUnits } from "../shopping/unit-words.js";
import { isVisible } from "../typing/names.js";
import { Offers } from "../shopping/offers.js";
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { linesIn } from "./lines.js";
import { Progress } from "./progress.js";
import { Scanning } from "./scanning.js";
import { Stock } from "./stock.js";
import { Table } from "./table.js";
import { TakenRows } from "./taken.js";

/**
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("./stock.js").Taken} Taken
 */
const LONGEST = 100;

class Taking {
  /** @param {HTMLElement} page */
  constructor(page) {
    this.page = page;
    const more = page.querySelector("template");
    more?.replaceWith(more.content);
    const { stock = "[]", starts = "{}" } = page.dataset;
    this.stock = new Stock(JSON.parse(stock), JSON.parse(starts), () => this.draw());
    this.form = /** @type {HTMLFormElement} */ (page.querySelector(".take-one"));
    for (const { value, text } of this.field("locationId", HTMLSelectElement).options)
      if (value) this.stock.places.set(text, value);
    this.rows = new TakenRows(page, this.stock, (taken) => this.stock.takeBack([taken]));
    this.progress = new Progress(page, this.stock);
    this.table = new Table(page, this.stock, (lines) => this.takeAll(lines));
    const input = this.field("text", HTMLInputElement);
    const offers = document.getElementById("offers");
    if (offers) {
      page.querySelector(".take-name")?.append(offers);
      new Offers(input, offers, () => this.stock.all);
    }
    loadUnits();
    new Scanning(page, (code) => this.scanned(code));
    this.form.addEventListener("submit", (event) => overrideDefault(event, () => this.takeOne(input)));
    input.addEventListener("paste", (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (pasted.trim().includes("\n")) overrideDefault(event, () => this.show(pasted));
    });
    for (const form of this.sources)
      form.addEventListener("submit", (event) => overrideDefault(event, () => this.show(written(form))));
    this.draw();
  }

  /** Where many come from at once. @returns {HTMLFormElement[]} */
  get sources() {
    return [...this.page.querySelectorAll("form")].filter((form) => form.matches(".take-paste > *, .take-pantry > *"));
  }

  /** @template {HTMLElement} T @param {string} name @param {new () => T} kind @returns {T} */
  field(name, kind) {
    const found = this.form.elements.namedItem(name);
    if (!(found instanceof kind)) throw new TypeError(name);
    return found;
  }

  get around() {
    return {
      locationId: this.field("locationId", HTMLSelectElement).value,
      unit: this.field("unit", HTMLInputElement).value.trim(),
      preferredStoreId: this.field("preferredStoreId", HTMLSelectElement).value,
    };
  }

  /** @param {HTMLInputElement} input */
  takeOne(input) {
    const quantity = this.field("quantity", HTMLInputElement);
    const [text, many] = [input.value.trim(), Number(quantity.value)];
    if (isBarcode(text)) {
      [input.value, quantity.value] = ["", "1"];
      return this.scanned(text, many);
    }
    const lines = this.parseEntries(text);
    if (!lines.length) return;
    if (lines.length > 1) return this.show(input.value);
    if (lines[0].name.length > LONGEST) return toast(words("tooLong", { most: LONGEST }));
    const count = many > 1 ? many : lines[0].count;
    [input.value, quantity.value] = ["", "1"];
    input.focus();
    this.goToNewPlace();
    const code = this.field("barcode", HTMLInputElement).value;
    this.askFor("");
    this.done(this.stock.take([{ ...lines[0], count }], this.around, code));
  }

  /** What has it is counted up; of what nobody has yet, the name is asked for. @param {string} code */
  scanned(code, many = 1) {
    const item = this.stock.withCode(code);
    this.askFor(item ? "" : code);
    if (item) this.done(this.stock.takeMore(item, Math.max(1, many)));
    else this.field("text", HTMLInputElement).focus();
  }

  /** @param {string} code of what is named next; "" for none */
  askFor(code) {
    this.field("barcode", HTMLInputElement).value = code;
    const asks = this.page.querySelector(".take-code");
    const shown = asks?.querySelector("span");
    asks?.toggleAttribute("hidden", !code);
    if (shown) shown.textContent = code;
  }

  /** @param {string} text @returns {Line[]} */
  parseEntries(text) {
    return linesIn(text, this.stock.names).filter(({ name }) => isVisible(name));
  }

  /** From here on, one is in the place whose name was typed. */
  goToNewPlace() {
    const typed = this.field("newPlace", HTMLInputElement);
    const name = typed.value.trim();
    if (!name) return;
    const [select, id] = [this.field("locationId", HTMLSelectElement), this.stock.place(name)];
    if (![...select.options].some(({ value }) => value === id)) select.add(new Option(name, id));
    [select.value, typed.value] = [id, ""];
  }

  /** @param {string} text */
  async show(text) {
    await loadUnits();
    this.goToNewPlace();
    const lines = this.parseEntries(text);
    if (lines.length) this.table.show(lines, this.around);
    else toast(words("nothingWritten"));
  }

  /** @param {Line[]} lines */
  takeAll(lines) {
    const taken = this.stock.take(lines, this.around);
    this.progress.watch(taken);
    this.done(taken);
    for (const form of this.sources) form.reset();
  }

  /** @param {Taken[]} taken */
  done(taken) {
    this.rows.add(taken);
    const [{ item, count }] = taken;
    const said = taken.length > 1 ? pluralize("takenAll", taken.length) : words("taken", { name: item.name, count });
    toast(said, { undo: () => this.undo(taken) });
  }

  /** @param {Taken[]} taken */
  undo(taken) {
    this.rows.leave(taken);
    this.stock.takeBack(taken);
  }

  draw() {
    this.rows.draw();
    this.progress.draw();
  }
}

/** What was pasted, or ticked. @param {HTMLFormElement} form */
function written(form) {
  const sent = new FormData(form);
  return [...sent.getAll("ticked"), ...sent.getAll("text")].join("\n");
}

class StockTaking extends HTMLElement {
  connectedCallback() {
    new Taking(this);
  }
}

customElements.define("stock-taking", StockTaking);
