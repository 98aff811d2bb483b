// Further rows are there before somebody has scrolled to the last one.
import { getPage } from "../api.js";
import { morph } from "../live/morph.js";

const AHEAD = "1500px";

const seen = new IntersectionObserver(look, { rootMargin: AHEAD });
let isAsking = false;

/** @param {IntersectionObserverEntry[]} entries */
async function look(entries) {
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector("#stock .stock-more a"));
  if (isAsking || !link || !entries.some(({ isIntersecting }) => isIntersecting)) return;
  isAsking = true;
  await fetchMore(link.pathname + link.search);
  isAsking = false;
}

/** @param {string} address */
async function fetchMore(address) {
  const region = /** @type {import("../live/region.js").LiveRegion} */ (document.getElementById("stock"));
  const { heard } = region;
  const answer = await getPage(address);
  const fresh = answer.ok && answer.page.getElementById("stock");
  if (!fresh) return; // without a signal the link is still there
  region.dataset.from = address;
  region.shown = heard;
  morph(region, fresh);
  region.dispatchEvent(new CustomEvent("homeshelf:renewed", { bubbles: true }));
}

/** Only what comes into sight anew is told of. */
function watch() {
  seen.disconnect();
  const link = document.querySelector("#stock .stock-more");
  if (link) seen.observe(link);
}

document.addEventListener("homeshelf:renewed", watch);
watch();
