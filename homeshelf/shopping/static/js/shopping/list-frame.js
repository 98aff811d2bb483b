// Draw the store links, counts and the empty state around the rows.
import { words } from "../words.js";
import { isShownForStore, selectToPutAway } from "./entry-filters.js";

/** @param {import("./list.js").ShoppingList} list @param {import("./pending-view.js").List} shown @param {string} at */
export function drawFrame(list, shown, at) {
  const bought = list.querySelectorAll(".bought li").length;
  setHidden(list.querySelector(".bought"), bought === 0);
  setText(list.querySelector(".bought-count"), String(bought));
  const isEmpty = !list.querySelector(".list-group");
  const isDone = drawDone(list, shown, at);
  setHidden(list.querySelector(".list-empty"), !isEmpty || isDone);
  const handing = document.querySelector(".handover");
  setHidden(handing, isEmpty);
  handing?.querySelector("a")?.setAttribute("href", `/s/from-list${at ? `?at=${at}` : ""}`);
  drawStoreLinks(shown.stores.filter(({ storeId }) => storeId), at);
}

/**
 * Show, and announce once, that everything is bought.
 * @param {HTMLElement} list @param {import("./pending-view.js").List} shown @param {string} at
 */
function drawDone(list, shown, at) {
  const isPending = shown.entries.some((each) => each.status === "pending" && isShownForStore(each, at));
  const isDone = !isPending && [false, true].some((isAside) => selectToPutAway(shown, at, isAside).length > 0);
  const place = list.querySelector(".list-done");
  const spoken = list.querySelector(".spoken");
  if (isDone && list.dataset.pending && spoken) spoken.textContent = place?.querySelector("h2")?.textContent ?? "";
  list.dataset.pending = isPending ? "yes" : "";
  setHidden(place, !isDone);
  return isDone && place !== null;
}

/** @param {{storeId: string, name: string}[]} stores @param {string} at */
function drawStoreLinks(stores, at) {
  const nav = /** @type {HTMLElement} */ (document.querySelector(".shops"));
  const wanted = [{ storeId: "", name: words("everywhere") }, ...stores];
  const as = JSON.stringify([wanted, at]);
  if (nav.dataset.drawn === as) return;
  nav.dataset.drawn = as;
  setHidden(nav, !stores.length);
  const links = [...nav.querySelectorAll("a")];
  for (const [i, { storeId, name }] of wanted.entries()) {
    const link = links[i] ?? nav.appendChild(document.createElement("a"));
    link.className = "chip";
    link.href = storeId ? `/list?at=${storeId}` : "/list";
    setText(link, name);
    if (storeId === at) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const link of links.slice(wanted.length)) link.remove();
}

/** @param {Element | null} place @param {string} text */
function setText(place, text) {
  if (place && place.textContent?.trim() !== text) place.textContent = text;
}

/** @param {Element | null} place @param {boolean} hidden */
function setHidden(place, hidden) {
  place?.toggleAttribute("hidden", hidden);
}
