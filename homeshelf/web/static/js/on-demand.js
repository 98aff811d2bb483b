// What only keys need is fetched once there are some.
/** @type {((event: KeyboardEvent) => void) | undefined} */
let press;

addEventListener("keydown", (event) => {
  const isWriting = /** @type {Element} */ (event.target).closest("input, select, textarea");
  if (isWriting || event.defaultPrevented) return;
  if (press) return press(event);
  if (event.key === "/") event.preventDefault();
  import("./shortcuts/shortcuts.js").then((keys) => (press = keys.press)(event));
});

/** @type {HTMLElement | null} */ (document.querySelector("input:target"))?.focus();
