// Insert the elements that need scripts, and replace rows by fillable ones.
import { newRow } from "./row.js";

const PLACES = {
  ".decision-bar": ".list-head",
  ".usual-edit": ".usual .chips-line",
  ".offers": ".quick-add",
};

/** @param {HTMLElement} list */
export function preparePage(list) {
  for (const later of list.querySelectorAll("template")) later.replaceWith(later.content);
  const sheets = /** @type {HTMLTemplateElement | null} */ (document.getElementById("sheets"));
  if (sheets) document.body.append(sheets.content);
  for (const [piece, place] of Object.entries(PLACES)) {
    const found = document.querySelector(piece);
    if (found) document.querySelector(place)?.append(found);
  }
  for (const row of list.querySelectorAll("li.entry")) {
    const whole = newRow();
    whole.id = row.id;
    row.replaceWith(whole);
  }
}
