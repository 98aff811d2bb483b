// What only keys or a wide screen need is fetched once there are some.
const wide = matchMedia("(min-width: 56.25rem)");
/** @type {((event: KeyboardEvent) => void) | undefined} */
let press;

function widen() {
  if (wide.matches) import("./wide/start.js");
}

wide.onchange = widen;
widen();

addEventListener("keydown", (event) => {
  const isWriting = /** @type {Element} */ (event.target).closest("input, select, textarea");
  if (isWriting || event.defaultPrevented) return;
  if (press) return press(event);
  if (event.key === "/") event.preventDefault();
  import("./shortcuts/shortcuts.js").then((keys) => (press = keys.press)(event));
});

/** @type {HTMLElement | null} */ (document.querySelector("input:target"))?.focus();
