// On a wide screen what was chosen stands beside what it was chosen from.
const wide = matchMedia("(min-width: 56.25rem)");

/** Unless the page has it. @param {string} name @param {string} from the address of the script that needs it */
export function addStylesheet(name, from) {
  if (document.querySelector(`link[href$="/${name}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = from.replace(/\/js\/.*/, `/${name}`);
  document.head.append(link);
}

/** Whether what was chosen has room beside what it was chosen from. */
export function isWide() {
  return wide.matches;
}

/** @param {() => void} act */
export function onNarrow(act) {
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
