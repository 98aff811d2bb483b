import { plan, regions } from "./renewing.js";

const SETTLED = 2500; // by then every index has what was written

let settling = 0;
/** @type {Set<import("./region.js").LiveRegion>} */
const doubtful = new Set();

/** @param {Iterable<import("./region.js").LiveRegion>} those */
function refresh(those) {
  for (const region of those) region.heard += 1;
  plan();
}

/** Where indexes are behind for a moment, what was fetched at once is fetched once more. */
function lookTwice() {
  clearTimeout(settling);
  settling = setTimeout(() => (refresh(doubtful), doubtful.clear()), SETTLED);
}

document.addEventListener("homeshelf:change", (event) => {
  const those = regions().filter((region) => region.shows(/** @type {CustomEvent} */ (event).detail));
  refresh(those);
  if (!("lags" in document.body.dataset) || !those.length) return;
  for (const region of those) doubtful.add(region);
  lookTwice();
});
