// Loads the next rows before the user has scrolled to the last one.
import { getPage } from "../api.js";
import { morph } from "../live/morph.js";

const AHEAD = "1500px";

const seen = new IntersectionObserver(loadWhenVisible, { rootMargin: AHEAD });
let isLoading = false;

/** @param {IntersectionObserverEntry[]} entries */
async function loadWhenVisible(entries) {
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector("#stock .stock-more a"));
  if (isLoading || !link || !entries.some(({ isIntersecting }) => isIntersecting)) return;
  isLoading = true;
  await fetchMore(link.pathname + link.search);
  isLoading = false;
}

/** @param {string} address */
async function fetchMore(address) {
  const region = /** @type {import("../live/region.js").LiveRegion} */ (document.getElementById("stock"));
  const { heard } = region;
  const answer = await getPage(address);
  const fresh = answer.ok && answer.page.getElementById("stock");
  if (!fresh) return; // offline, the link stays
  region.dataset.from = address;
  region.shown = heard;
  morph(region, fresh);
  region.dispatchEvent(new CustomEvent("homeshelf:renewed", { bubbles: true }));
}

/** Observe the new link; an observer reports only changes of visibility. */
function watch() {
  seen.disconnect();
  const link = document.querySelector("#stock .stock-more");
  if (link) seen.observe(link);
}

document.addEventListener("homeshelf:renewed", watch);
watch();
