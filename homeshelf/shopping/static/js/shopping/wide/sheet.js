// Show the edit sheet beside the list, at the address of its page.
import { addStylesheet, goTo, isBeside, isWide, onNarrow } from "../../wide/layout.js";

const ENTRY = /^\/list\/([^/]+)$/;

const list = /** @type {HTMLElement} */ (document.querySelector("shopping-list"));
const sheet = /** @type {HTMLDialogElement | null} */ (document.getElementById("changing"));
addStylesheet("list-wide.css", import.meta.url);
if (sheet) standBeside(sheet);

/** @param {HTMLDialogElement} sheet */
function standBeside(sheet) {
  const form = /** @type {HTMLFormElement} */ (sheet.querySelector("form"));
  const isOpen = () => sheet.open && !sheet.matches(":modal");

  sheet.addEventListener("homeshelf:opening", (event) => {
    if (!isWide()) return;
    event.preventDefault();
    const link = /** @type {CustomEvent<HTMLAnchorElement>} */ (event).detail;
    sheet.show();
    goTo(link.pathname + link.search);
    /** @type {HTMLElement} */ (form.elements.namedItem("name")).focus();
  });

  list.addEventListener("click", (event) => chooseAnother(event, form, isOpen()), { capture: true });
  sheet.addEventListener("close", () => !sheet.open && isBeside() && history.back());
  sheet.addEventListener("click", (event) => event.target === sheet && isOpen() && event.stopPropagation());
  addEventListener("keydown", ({ key }) => key === "Escape" && isOpen() && sheet.close());

  addEventListener("popstate", () => {
    const id = ENTRY.exec(location.pathname)?.[1];
    const link = /** @type {HTMLElement | null} */ (id && list.querySelector(`li[id="${id}"] a.change`));
    if (link) link.click();
    else if (isOpen()) sheet.close();
  });

  onNarrow(() => {
    if (!isOpen()) return;
    sheet.removeAttribute("open");
    sheet.showModal();
  });
}

/** Save the typed values when another entry is chosen. @param {Event} event @param {HTMLFormElement} form */
function chooseAnother(event, form, isOpen = false) {
  if (!isOpen || !(/** @type {Element} */ (event.target).closest("a.change"))) return;
  if (form.checkValidity()) return form.requestSubmit();
  form.reportValidity();
  event.preventDefault();
  event.stopPropagation();
}
