import { getPage } from "../api.js";
import { bringSwitch } from "./switch.js";

const PAGE = "/keys";

/** The page of the keys has them as a sheet, too. */
export function showKeys() {
  if (!document.body.dataset.member) return false;
  if (location.pathname !== PAGE) open();
}

async function open() {
  const sheet = /** @type {HTMLDialogElement | null} */ (document.getElementById("keys")) ?? (await fetched());
  if (sheet) sheet.showModal();
  else location.assign(PAGE);
}

async function fetched() {
  const { page } = await getPage(PAGE);
  const { content } = /** @type {HTMLTemplateElement} */ (page.getElementById("keys-sheet")) ?? {};
  const sheet = content?.querySelector("dialog");
  if (!sheet) return null;
  document.body.append(sheet);
  bringSwitch(sheet);
  return sheet;
}
