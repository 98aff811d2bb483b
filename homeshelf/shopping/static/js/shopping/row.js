// Fill in a row from the template of the server.
import { formatAmount } from "../amount.js";
import { words } from "../words.js";
import { showPicture } from "./picture.js";

/** @typedef {import("./pending-view.js").Entry} Entry */

/** @returns {HTMLLIElement} */
export function newRow() {
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("row"));
  return /** @type {HTMLLIElement} */ (content.querySelector("li")?.cloneNode(true));
}

/** The content of each row, as most rows of a long list stay the same. @type {WeakMap<HTMLElement, string>} */
const signatures = new WeakMap();

/** @param {HTMLElement} row @param {Entry} entry @param {{here: string, aside: string[]}} list it stands on */
export function fillRow(row, entry, { here, aside }) {
  const asked = Boolean(entry.asked);
  const signature = JSON.stringify([{ ...entry, asked }, here, aside.includes(entry.itemId ?? "")]);
  if (signatures.get(row) === signature) return;
  signatures.set(row, signature);
  const { shoppingItemId: id, name, status, version, notes, quantity, storeId, itemId, putAwayAt } = entry;
  const done = status === "purchased";
  const isAside = done && !putAwayAt && aside.includes(itemId ?? "");
  row.id = id;
  setDataset(row.dataset, { version: String(version), store: storeId ?? "", status, name });
  row.classList.toggle("entry-done", done);
  row.classList.toggle("entry-pending", Boolean(entry.isWaiting));
  row.classList.toggle("entry-multiple", (quantity ?? 1) > 1);
  setText(row, ".entry-name", name);
  const isCounted = Boolean(entry.unit) || (quantity ?? 1) > 1;
  const amount = formatAmount(quantity ?? 1, entry.unit);
  setText(row, ".badge", amount, isCounted && (done || !row.querySelector(".entry-count")));
  setText(row, ".entry-notes", notes ?? "", Boolean(notes));
  row.querySelector(".waits")?.toggleAttribute("hidden", !entry.isWaiting);
  row.querySelector(".asked")?.toggleAttribute("hidden", !entry.asked);
  showPicture(row.querySelector(".picture"), name, entry.picture);
  if (!row.querySelector(".tick")) return;
  const button = row.querySelector(".tick-row");
  button?.setAttribute("aria-pressed", String(done));
  button?.toggleAttribute("disabled", Boolean(putAwayAt) && !row.querySelector(".away")); // a child cannot untick it
  for (const [form, what] of [["tick", "tick"], ["away", "put-away"]]) {
    row.querySelector(`form.${form}`)?.setAttribute("action", `/list/${id}/${what}${here}`);
  }
  setLabel(row, ".grip", words("moveWithArrows", { name }))?.toggleAttribute("hidden", done);
  fillAway(row, entry, isAside);
  fillCount(row, entry);
  setLabel(row, ".change", words("change", { name }))?.setAttribute("href", `/list/${id}${here}`);
}

/** @param {HTMLElement} row @param {Entry} entry @param {boolean} isAside */
function fillAway(row, { status, itemId, name, putAwayAt }, isAside) {
  const link = setLabel(row, ".aside", words("isAside", { name }));
  link?.setAttribute("href", `/stock/${itemId}`);
  link?.toggleAttribute("hidden", !isAside);
  const form = row.querySelector(".away");
  form?.toggleAttribute("hidden", status !== "purchased" || isAside);
  form?.querySelector("button")?.classList.toggle("button-quiet", Boolean(putAwayAt));
  if (form) setText(form, "button", words(putAwayAt ? "takeBack" : "putItAway"));
}

/** @param {HTMLElement} row @param {Entry} entry */
function fillCount(row, { status, name, quantity, unit }) {
  const buttons = row.querySelector(".entry-count");
  if (!buttons) return;
  buttons.toggleAttribute("hidden", status === "purchased");
  const count = formatAmount(quantity ?? 1, unit);
  setText(buttons, "output", count);
  setLabel(buttons, ".count", words("howMany", { name, count }));
  setLabel(buttons, "[data-by='1']", words("oneMore", { name }));
  setLabel(buttons, "[data-by='-1']", words("oneLess", { name }))?.toggleAttribute("disabled", (quantity ?? 1) === 1);
}

/** @param {Element} place @param {string} part @param {string} text @param {boolean} [visible] */
function setText(place, part, text, visible = true) {
  const found = place.querySelector(part);
  if (!found) return;
  if (found.textContent !== text) found.textContent = text;
  found.toggleAttribute("hidden", !visible);
}

/** @param {Element} place @param {string} part @param {string} label */
function setLabel(place, part, label) {
  const found = place.querySelector(part);
  found?.setAttribute("aria-label", label);
  return found;
}

/** @param {DOMStringMap} dataset @param {Record<string, string>} values */
function setDataset(dataset, values) {
  for (const [name, value] of Object.entries(values)) if (dataset[name] !== value) dataset[name] = value;
}
