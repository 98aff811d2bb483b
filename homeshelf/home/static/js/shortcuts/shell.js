// What keys do is fetched with the first key.
/** @type {((event: KeyboardEvent) => void) | undefined} */
let press;

addEventListener("keydown", (event) => {
  const isWriting = /** @type {Element} */ (event.target).closest("input, select, textarea");
  if (isWriting || event.defaultPrevented) return;
  if (press) return press(event);
  if (event.key === "/") event.preventDefault();
  import("./shortcuts.js").then((keys) => (press = keys.press)(event));
});

/** @type {HTMLElement | null} */ (document.querySelector("input:target"))?.focus();
