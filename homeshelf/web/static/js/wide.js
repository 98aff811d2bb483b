// On a wide screen what was chosen stands beside what it was chosen from.
const wide = matchMedia("(min-width: 56.25rem)");

/**
 * Load what only a wide screen needs, once there is one.
 * @param {string} sheet its style @param {() => Promise<unknown>} load its script
 */
export function whenWide(sheet, load) {
  const bring = () => {
    if (!wide.matches) return;
    wide.removeEventListener("change", bring);
    addSheet(sheet);
    load();
  };
  wide.addEventListener("change", bring);
  bring();
}

/** @param {string} name */
function addSheet(name) {
  if (document.querySelector(`link[href$="/${name}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(`../${name}`, import.meta.url).href;
  document.head.append(link);
}

/** Whether what was chosen has room beside what it was chosen from. */
export function isWide() {
  return wide.matches;
}

/** @param {() => void} act */
export function onNarrowing(act) {
  wide.addEventListener("change", () => wide.matches || act());
}

/**
 * An address for what was chosen: the way back from it leads to what it was chosen from, however much was chosen
 * in between.
 * @param {string} address
 */
export function goTo(address) {
  if (location.pathname + location.search === address) return;
  if (isBeside()) history.replaceState({ isBeside: true }, "", address);
  else history.pushState({ isBeside: true }, "", address);
}

export function isBeside() {
  return Boolean(history.state?.isBeside);
}
