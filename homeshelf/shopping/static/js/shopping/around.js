// What stands around the rows: stores, counts, and what is said where nothing is left.
import { words } from "../words.js";

/** @param {import("./list.js").ShoppingList} list @param {import("./shown.js").List} shown @param {string} at */
export function drawAround(list, shown, at) {
  const bought = list.querySelectorAll(".bought li").length;
  hide(list.querySelector(".bought"), bought === 0);
  say(list.querySelector(".bought-count"), String(bought));
  const isEmpty = !list.querySelector(".list-group");
  hide(list.querySelector(".list-empty"), !isEmpty);
  const handing = document.querySelector(".handover");
  hide(handing, isEmpty);
  handing?.querySelector("a")?.setAttribute("href", `/s/from-list${at ? `?at=${at}` : ""}`);
  drawStores(shown.stores.filter(({ storeId }) => storeId), at);
}

/** @param {{storeId: string, name: string}[]} stores @param {string} at */
function drawStores(stores, at) {
  const nav = /** @type {HTMLElement} */ (document.querySelector(".shops"));
  const wanted = [{ storeId: "", name: words("everywhere") }, ...stores];
  const as = JSON.stringify([wanted, at]);
  if (nav.dataset.drawn === as) return;
  nav.dataset.drawn = as;
  hide(nav, !stores.length);
  const links = [...nav.querySelectorAll("a")];
  for (const [i, { storeId, name }] of wanted.entries()) {
    const link = links[i] ?? nav.appendChild(document.createElement("a"));
    link.className = "chip";
    link.href = storeId ? `/list?at=${storeId}` : "/list";
    say(link, name);
    if (storeId === at) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const link of links.slice(wanted.length)) link.remove();
}

/** @param {Element | null} place @param {string} text */
function say(place, text) {
  if (place && place.textContent?.trim() !== text) place.textContent = text;
}

/** @param {Element | null} place @param {boolean} hidden */
function hide(place, hidden) {
  place?.toggleAttribute("hidden", hidden);
}
