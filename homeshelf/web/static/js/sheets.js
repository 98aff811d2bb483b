// Open the sheet that a link names. Without scripts the link leads to a page.
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const opener = target.closest("[data-sheet]");
  if (opener instanceof HTMLElement) {
    const sheet = document.getElementById(opener.dataset.sheet ?? "");
    if (sheet instanceof HTMLDialogElement) {
      event.preventDefault();
      sheet.showModal();
    }
  }
  if (target.closest("[data-close]")) target.closest("dialog")?.close();
  if (target instanceof HTMLDialogElement && target.matches(".sheet")) target.close();
});

// Close a menu when the pointer or the focus leaves it.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
  }
});
document.addEventListener("focusout", (event) => {
  const menu = /** @type {Element} */ (event.target).closest("details.menu[open]");
  const next = /** @type {Node | null} */ (event.relatedTarget);
  if (menu && next && !menu.contains(next)) menu.removeAttribute("open");
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  }
});
