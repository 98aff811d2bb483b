// `<stock-taking>`: counts single items, a list or a ready-made pantry. Changes are stored on the phone at once,
// online or offline.
import { overrideDefault } from "../override-default.js";
import { isBarcode } from "../scanning/barcodes.js";
import { loadUnits } from "../shopping/unit-words.js";
import { isVisible } from "../typing/names.js";
import { offerNames } from "../shopping/offers.js";
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { Understood } from "../shopping/typing/understood.js";
import { linesIn } from "./lines.js";
import { readingsOf } from "./readings.js";
import { Progress } from "./progress.js";
import { TakeScanner } from "./scanner.js";
import { Stock } from "./stock.js";
import { LineTable } from "./table.js";
import { Pantry } from "./pantry.js";
import { CountedRows } from "./counted-rows.js";

/**
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("./stock.js").CountedItem} CountedItem
 */
const LONGEST = 100;

class StocktakingPage {
  /** @param {HTMLElement} page */
  constructor(page) {
    this.page = page;
    const more = page.querySelector("template");
    more?.replaceWith(more.content);
    const { stock = "[]", defaultThresholds = "{}" } = page.dataset;
    this.stock = new Stock(JSON.parse(stock), JSON.parse(defaultThresholds), () => this.draw());
    this.form = /** @type {HTMLFormElement} */ (page.querySelector(".take-one"));
    for (const { value, text } of this.field("locationId", HTMLSelectElement).options)
      if (value) this.stock.places.set(text, value);
    this.rows = new CountedRows(page, this.stock, (taken) => this.stock.takeBack([taken]));
    this.progress = new Progress(page, this.stock);
    this.table = new LineTable(page, this.stock, (lines) => this.takeAll(lines));
    const input = this.field("text", HTMLInputElement);
    const offers = document.getElementById("offers");
    if (offers) {
      page.querySelector(".take-name")?.append(offers);
      offerNames(input, offers, () => this.stock.all);
    }
    const line = page.querySelector(".take-line");
    this.understood = line && new Understood(input, line, (text) => this.readingsOf(text));
    loadUnits().then(() => this.understood?.update());
    new TakeScanner(page, (code) => this.countCode(code));
    this.form.addEventListener("submit", (event) => overrideDefault(event, () => this.takeOne(input)));
    input.addEventListener("paste", (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (pasted.trim().includes("\n")) overrideDefault(event, () => this.showTable(pasted));
    });
    this.pantry = new Pantry(page, this.stock, (text) => this.takePantry(text));
    this.pasted?.addEventListener("submit", (event) =>
      overrideDefault(event, () => this.showTable(String(new FormData(this.pasted ?? undefined).get("text") ?? ""))),
    );
    this.draw();
  }

  /** The form for a whole list. @returns {HTMLFormElement | null} */
  get pasted() {
    return this.page.querySelector(".take-paste > form");
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
      return this.countCode(text, many);
    }
    const lines = this.understood?.chosen(text)?.lines ?? this.parseEntries(text);
    if (!lines.length) return;
    if (lines.length > 1) return this.showTable(input.value);
    if (lines[0].name.length > LONGEST) return toast(words("tooLong", { most: LONGEST }));
    const count = many > 1 ? many : lines[0].count;
    [input.value, quantity.value] = ["", "1"];
    input.focus();
    this.selectNewPlace();
    const code = this.field("barcode", HTMLInputElement).value;
    this.askName("");
    this.showCounted(this.stock.take([{ ...lines[0], count }], this.around, code));
  }

  /** Count an item up by its barcode, or ask for the name of an unknown one. @param {string} code */
  countCode(code, many = 1) {
    const item = this.stock.findByCode(code);
    this.askName(item ? "" : code);
    if (item) this.showCounted(this.stock.takeMore(item, Math.max(1, many)));
    else this.field("text", HTMLInputElement).focus();
  }

  /** @param {string} code of the item that the user names next, or "" */
  askName(code) {
    this.field("barcode", HTMLInputElement).value = code;
    const asks = this.page.querySelector(".take-code");
    const shown = asks?.querySelector("span");
    asks?.toggleAttribute("hidden", !code);
    if (shown) shown.textContent = code;
  }

  /** @param {string} text @returns {Line[]} */
  parseEntries(text) {
    return linesIn(text, { ...this.stock.names, unit: this.around.unit }).filter(({ name }) => isVisible(name));
  }

  /** @param {string} text */
  readingsOf(text) {
    if (isBarcode(text)) return [];
    return readingsOf(text, { ...this.stock.names, unit: this.around.unit }, (line) => {
      const there = this.stock.findItem(line.name, line.place, this.around);
      const unit = there ? there.unit : (line.unit ?? (line.notes ? "" : this.around.unit));
      const locationId = there ? there.locationId : this.around.locationId;
      const place = (there ? "" : line.place) || [...this.stock.places].find(([, id]) => id === locationId)?.[0];
      return { ...line, name: there?.name ?? line.name, picture: there?.picture, unit, place };
    });
  }

  /** Make the typed new place the current one. */
  selectNewPlace() {
    const typed = this.field("newPlace", HTMLInputElement);
    const name = typed.value.trim();
    if (!name) return;
    const [select, id] = [this.field("locationId", HTMLSelectElement), this.stock.place(name)];
    if (![...select.options].some(({ value }) => value === id)) select.add(new Option(name, id));
    [select.value, typed.value] = [id, ""];
  }

  /** @param {string} text */
  async showTable(text) {
    await loadUnits();
    this.selectNewPlace();
    const lines = this.parseEntries(text);
    if (lines.length) this.table.show(lines, this.around);
    else toast(words("nothingWritten"));
  }

  /** Add the ticked items, and show them. @param {string} text */
  async takePantry(text) {
    await loadUnits();
    this.selectNewPlace();
    this.takeAll(this.parseEntries(text));
    this.page.querySelector("section")?.scrollIntoView({ block: "start" });
  }

  /** @param {Line[]} lines */
  takeAll(lines) {
    const taken = this.stock.take(lines, this.around);
    this.progress.watch(taken);
    this.showCounted(taken);
    this.pasted?.reset();
  }

  /** @param {CountedItem[]} taken */
  showCounted(taken) {
    this.rows.add(taken);
    const [{ item, count }] = taken;
    const said = taken.length > 1 ? pluralize("takenAll", taken.length) : words("taken", { name: item.name, count });
    toast(said, { undo: () => this.undo(taken) });
  }

  /** @param {CountedItem[]} taken */
  undo(taken) {
    this.rows.subtract(taken);
    this.stock.takeBack(taken);
  }

  draw() {
    this.rows.draw();
    this.progress.draw();
    this.pantry.draw();
  }
}

class StockTaking extends HTMLElement {
  connectedCallback() {
    new StocktakingPage(this);
  }
}

customElements.define("stock-taking", StockTaking);
