import { scheduleRefresh, findRegions } from "./refresh.js";

const SETTLED = 2500; // after this, indexes are consistent

let settling = 0;
/** @type {Set<import("./region.js").LiveRegion>} */
const pendingRegions = new Set();

/** @param {Iterable<import("./region.js").LiveRegion>} those */
function markStale(those) {
  for (const region of those) region.heard += 1;
  scheduleRefresh();
}

/** Refresh once more later, because indexes may lag behind the write. */
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
