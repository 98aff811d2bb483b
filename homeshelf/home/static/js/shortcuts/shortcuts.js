// Run keyboard shortcuts while no field has the focus.
import { showKeys } from "./sheet.js";
import { isOff } from "./switch.js";
import { walk } from "./walk.js";

const { family, role } = document.body.dataset;
const isLeftward = document.documentElement.dir === "rtl";

/** Each returns false if it does not apply to the page. @type {Record<string, () => unknown>} */
const ACTS = {
  "/": find,
  n: add,
  "?": showKeys,
  ArrowDown: () => walk(1),
  ArrowUp: () => walk(-1),
  ArrowRight: () => walk(isLeftward ? -1 : 1, true),
  ArrowLeft: () => walk(isLeftward ? 1 : -1, true),
};

/** Handle a key that was pressed outside of fields. @param {KeyboardEvent} event */
export function press(event) {
  const key = nameOf(event);
  const isBrowsers = event.ctrlKey || event.metaKey || event.altKey;
  if (isBrowsers || !Object.hasOwn(ACTS, key) || document.querySelector("dialog:modal") || isOff()) return;
  if (ACTS[key]() !== false) event.preventDefault();
}

/** On a keyboard without Latin letters, a key is known by its position. @param {KeyboardEvent} event */
function nameOf({ key, code, shiftKey }) {
  if (/^\p{ASCII}+$/u.test(key)) return key.length > 1 ? key : key.toLowerCase();
  return { KeyN: "n", Slash: shiftKey ? "?" : "/" }[code] ?? "";
}

function find() {
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("input[type=search]"));
  field?.focus();
  field?.select();
  if (!field && family) location.assign("/stock#q");
  return Boolean(field ?? family);
}

function add() {
  const field = /** @type {HTMLElement | null} */ (document.querySelector(".quick-add input:not([type=hidden])"));
  const way = /** @type {HTMLElement | null} */ (document.querySelector(".places .add"));
  if (field) field.focus();
  else if (way) way.click();
  else if (role === "admin") location.assign("/list#text");
  else return false;
}
