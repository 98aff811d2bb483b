import { TOUCHED, refresh } from "./following.js";

const CALM = 4000;

/** Once nobody touches the list, what was bought folds away and what is back returns. @param {HTMLElement} list */
export function foldLater(list) {
  let calm = 0;
  const wait = () => {
    clearTimeout(calm);
    calm = setTimeout(() => fold(list), CALM);
  };
  list.addEventListener("pointerdown", wait);
  list.addEventListener(TOUCHED, () => (wait(), tidy(list)));
}

/** @param {HTMLElement} list */
function fold(list) {
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("li.entry"))) {
    const isFolded = Boolean(row.closest(".bought"));
    if (isFolded === (row.dataset.status === "purchased")) continue;
    row.remove();
    refresh(list, row.id);
  }
}

/** What is empty is not shown. @param {HTMLElement} list */
function tidy(list) {
  for (const group of list.querySelectorAll(".list-group")) group.toggleAttribute("hidden", !group.querySelector("li"));
  const bought = list.querySelectorAll(".bought li").length;
  list.querySelector(".bought")?.toggleAttribute("hidden", bought === 0);
  const count = list.querySelector(".bought-count");
  if (count) count.textContent = String(bought);
  const open = list.querySelector(".list-group:not([hidden])");
  list.querySelector(".list-empty")?.toggleAttribute("hidden", Boolean(open));
}
