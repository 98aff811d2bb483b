import { draftEdit } from "./changes.js";

const LESS_THAN = 1_000_000;

/**
 * Unfold the quantity of a row into minus and plus buttons.
 * @param {import("./list.js").ShoppingList} list
 */
export function enableQuantityButtons(list) {
  list.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest(".entry-count button");
    if (button instanceof HTMLElement) handlePress(list, button);
  });
  document.addEventListener("pointerdown", (event) => {
    const place = /** @type {Element} */ (event.target).closest(".entry-count");
    for (const open of findUnfolded(list)) if (open.parentElement !== place) unfold(open, false);
  });
  list.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") for (const open of findUnfolded(list)) (unfold(open, false), open.focus());
  });
}

/** @param {import("./list.js").ShoppingList} list @param {HTMLElement} button */
function handlePress(list, button) {
  const { by } = button.dataset;
  if (!by) return unfold(button, button.ariaExpanded !== "true");
  const entry = list.state.entry(button.closest("li")?.id ?? "");
  const quantity = (entry?.quantity ?? 1) + Number(by);
  if (!entry || quantity < 1 || quantity >= LESS_THAN) return;
  list.stir();
  list.state.act(draftEdit(entry, { quantity }));
  if (button.matches(":disabled")) findUnfolded(list)[0]?.focus();
}

/** @param {Element} list @returns {HTMLElement[]} */
function findUnfolded(list) {
  const found = list.querySelectorAll(".entry-count .count[aria-expanded=true]");
  return [.../** @type {NodeListOf<HTMLElement>} */ (found)];
}

/** @param {HTMLElement} button @param {boolean} open */
function unfold(button, open) {
  button.setAttribute("aria-expanded", String(open));
  button.closest("li")?.classList.toggle("entry-counting", open);
}
