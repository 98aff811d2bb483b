// The side pane of the stock page, which shows an item at its own address.
import { getPage } from "../../api.js";
import { addStylesheet, goTo, isBeside, isWide } from "../../wide/layout.js";

const ITEM = /^\/stock\/[0-9a-f-]{36}$/i;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const titleOfStock = document.title;
/** The number of the last request: answers to earlier ones are ignored. */
let chosen = 0;
/** @type {HTMLElement} */
let pane = main;

addStylesheet("stock-wide.css", import.meta.url);
if (document.querySelector(".stock-title")) openPane();
else loadStock();

function openPane() {
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("pane"));
  pane = /** @type {HTMLElement} */ (content.querySelector("section")?.cloneNode(true));
  main.after(pane);
  setSource("stock", location.pathname + location.search);
}

/** Load the stock beside the page of an item. */
async function loadStock() {
  setSource("item", location.pathname);
  const { page } = await getPage("/stock");
  const found = page.getElementById("main");
  if (!found?.querySelector(".stock-title")) return;
  for (const left of found.querySelectorAll("dialog, template, .counted-late")) left.remove();
  const stock = document.createElement("section");
  stock.classList.add("main", "listed");
  stock.setAttribute("aria-labelledby", "stock-title");
  stock.append(...found.childNodes);
  main.before(stock);
  setSource("stock", "/stock");
  announceRenewal();
}

/** @param {string} address @param {boolean} [isBack] */
async function show(address, isBack = false) {
  const asked = ++chosen;
  const answer = await getPage(address);
  if (asked !== chosen) return;
  const fresh = answer.ok && answer.page.getElementById("item");
  if (!fresh) return location.assign(address);
  if (!isBack) goTo(address);
  const shown = document.getElementById("item");
  if (shown) shown.replaceWith(fresh);
  else pane.replaceChildren(fresh);
  setSource("item", address);
  document.title = answer.page.title;
  pane.classList.add("chosen");
  pane.scrollTop = 0;
  pane.focus({ preventScroll: true });
  markCurrent();
  document.querySelector(".stock-item[aria-current]")?.scrollIntoView({ block: "nearest" }); // fewer columns now
}

function close() {
  chosen += 1;
  const { pathname } = new URL(document.getElementById("item")?.dataset.from ?? "/", location.href);
  pane.classList.remove("chosen");
  pane.replaceChildren();
  document.title = titleOfStock;
  markCurrent();
  /** @type {HTMLElement | null} */ (document.querySelector(`a.stock-item[href="${pathname}"]`))?.focus();
}

/** Set the address from which a region is refreshed. @param {string} id @param {string} address */
function setSource(id, address) {
  const region = document.getElementById(id);
  if (region) region.dataset.from ??= address;
}

/** Mark the item of the pane in the stock. */
function markCurrent() {
  document.querySelector("#item .stepper")?.removeAttribute("aria-label"); // the stock has one with this label
  for (const link of document.querySelectorAll("a.stock-item"))
    if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
}

function announceRenewal() {
  document.dispatchEvent(new CustomEvent("homeshelf:renewed"));
}

/** @param {MouseEvent} event */
function choose(event) {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (!link || !isWide() || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const isBack = isBeside() && link.pathname === "/stock" && pane.contains(link);
  if (!isBack && !link.matches(".stock-item")) return;
  event.preventDefault();
  if (isBack) history.back();
  else show(link.pathname);
}

document.addEventListener("click", choose);
document.addEventListener("homeshelf:renewed", markCurrent);
addEventListener("keydown", ({ key, target }) => {
  const isWriting = target instanceof Element && target.closest("input, select, textarea, dialog");
  if (key === "Escape" && !isWriting && isBeside()) history.back();
});
addEventListener("popstate", () => {
  if (ITEM.test(location.pathname)) show(location.pathname, true);
  else if (pane !== main) close();
});
