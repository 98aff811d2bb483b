const wide = matchMedia("(min-width: 56.25rem)");

/** Load what only a wide screen needs, once there is one. @param {() => unknown} load */
export function whenWide(load) {
  if (wide.matches) load();
  else wide.addEventListener("change", load, { once: true });
}
