// Offer usual things that are not on the list.
import { addEntries } from "./add-entries.js";
import { draftForget } from "./changes.js";
import { pictureOf } from "./picture.js";
import { selectUsual } from "./entry-filters.js";

/** @param {import("./list.js").ShoppingList} list */
export function enableUsualThings(list) {
  const place = list.querySelector(".usual");
  if (!(place instanceof HTMLElement)) return;
  const tidy = /** @type {HTMLElement} */ (place.querySelector(".usual-edit"));
  list.addEventListener("homeshelf:drawn", (event) => draw(place, /** @type {CustomEvent} */ (event).detail, list.at));
  place.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  place.addEventListener("submit", (event) => event.preventDefault());
  place.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button === tidy) return tidy.setAttribute("aria-pressed", String(tidy.ariaPressed !== "true"));
    const usual = list.state.kept.usual.find(({ usualId }) => usualId === button?.dataset.usual);
    if (!usual) return;
    if (tidy.ariaPressed === "true") return list.state.act(draftForget(usual));
    const { name, itemId, storeId, picture } = usual;
    const unit = list.state.kept.known.find((/** @type {any} */ known) => itemId && known.itemId === itemId)?.unit;
    addEntries(list, [{ name, itemId, storeId, unit, picture, quantity: null, notes: null }]);
  });
}

/** @param {HTMLElement} place @param {import("./pending-view.js").List} list @param {string} at */
function draw(place, list, at) {
  const offered = selectUsual(list, at);
  const shown = JSON.stringify(offered.map(({ usualId, name, picture }) => [usualId, name, picture]));
  place.toggleAttribute("hidden", !offered.length);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  for (const old of place.querySelectorAll("[data-usual]")) old.remove();
  const chips = offered.map(chip);
  place.querySelector(".chips-line")?.prepend(...chips);
}

/** @param {{usualId: string, name: string, picture: string}} usual */
function chip({ usualId, name, picture }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.dataset.usual = usualId;
  button.append(pictureOf(name, picture), name);
  return button;
}
