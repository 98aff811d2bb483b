const wide = matchMedia("(min-width: 56.25rem)");

/** Call `load` once the screen is wide. @param {() => unknown} load */
export function whenWide(load) {
  if (wide.matches) load();
  else wide.addEventListener("change", load, { once: true });
}
