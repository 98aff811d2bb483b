import { getPage } from "../api.js";

const TOGETHER = 100; // collects changes that arrive together
const PAUSE = 500; // between two fetches
const LONGEST = 60_000; // between two fetches if the server does not answer

let timer = 0;
let next = 0; // the earliest time of the next fetch
let trouble = 0;
let asking = false;

/** @returns {import("./region.js").LiveRegion[]} */
export const findRegions = () => /** @type {any} */ ([...document.querySelectorAll("live-region")]);

/** Schedule a fetch of stale regions if the page is visible. */
export function scheduleRefresh() {
  const wanted = !document.hidden && findRegions().some((region) => region.isStale);
  if (wanted && !asking && !timer) timer = setTimeout(refresh, Math.max(TOGETHER, next - performance.now()));
}

/** @param {import("./region.js").LiveRegion} [region] */
const addressOf = (region) => region?.dataset.from ?? location.href;

async function refresh() {
  timer = 0;
  const wanted = findRegions().filter((region) => region.isStale && region.isFree);
  const from = addressOf(wanted[0]); // regions of other URLs follow
  next = performance.now() + PAUSE;
  if (!wanted.length) return scheduleRefresh();
  const heard = wanted.map((region) => region.heard); // later changes may be missing from the response
  asking = true;
  const answer = await getPage(from);
  asking = false;
  const page = answer.isHeard && answer.status !== 429 ? answer.page : null;
  trouble = page ? 0 : Math.min(LONGEST, 2 * trouble || 2 * PAUSE);
  next = performance.now() + (trouble || PAUSE);
  if (page) wanted.forEach((region, i) => addressOf(region) === from && region.become(page, heard[i]));
  scheduleRefresh();
}

document.addEventListener("visibilitychange", scheduleRefresh);
