import { scheduleRefresh, findRegions } from "./refresh.js";

const SETTLED = 2500; // by then every index has what was written

let settling = 0;
/** @type {Set<import("./region.js").LiveRegion>} */
const pendingRegions = new Set();

/** @param {Iterable<import("./region.js").LiveRegion>} those */
function markStale(those) {
  for (const region of those) region.heard += 1;
  scheduleRefresh();
}

/** Where indexes are behind for a moment, what was fetched at once is fetched once more. */
function scheduleSecondRefresh() {
  clearTimeout(settling);
  settling = setTimeout(() => (markStale(pendingRegions), pendingRegions.clear()), SETTLED);
}

document.addEventListener("homeshelf:change", (event) => {
  const those = findRegions().filter((region) => region.shows(/** @type {CustomEvent} */ (event).detail));
  markStale(those);
  if (!("lags" in document.body.dataset) || !those.length) return;
  for (const region of those) pendingRegions.add(region);
  scheduleSecondRefresh();
});
