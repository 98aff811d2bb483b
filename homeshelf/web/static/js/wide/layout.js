// Split view of wide screens.
const wide = matchMedia("(min-width: 56.25rem)");

/**
 * Add a stylesheet unless the page has it.
 * @param {string} name @param {string} from the URL of the calling script
 */
export function addStylesheet(name, from) {
  if (document.querySelector(`link[href$="/${name}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = from.replace(/\/js\/.*/, `/${name}`);
  document.head.append(link);
}

/** Return whether the screen has room for a split view. */
export function isWide() {
  return wide.matches;
}

/** @param {() => void} act */
export function onNarrow(act) {
  wide.addEventListener("change", () => wide.matches || act());
}

/**
 * Show the address of the chosen item. Back leads to the list, however many items were chosen in between.
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
