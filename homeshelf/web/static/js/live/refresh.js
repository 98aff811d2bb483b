import { getPage } from "../api.js";

const TOGETHER = 100; // changes that come at once are fetched at once
const PAUSE = 500; // between two fetches, however much changes
const LONGEST = 60_000; // between two when the server does not answer

let timer = 0;
let next = 0; // when the server may be asked again
let trouble = 0;
let asking = false;

/** @returns {import("./region.js").LiveRegion[]} */
export const findRegions = () => /** @type {any} */ ([...document.querySelectorAll("live-region")]);

/** What is out of date is fetched as soon as that may be, if somebody looks. */
export function scheduleRefresh() {
  const wanted = !document.hidden && findRegions().some((region) => region.isStale);
  if (wanted && !asking && !timer) timer = setTimeout(refresh, Math.max(TOGETHER, next - performance.now()));
}

/** @param {import("./region.js").LiveRegion} [region] */
const addressOf = (region) => region?.dataset.from ?? location.href;

async function refresh() {
  timer = 0;
  const wanted = findRegions().filter((region) => region.isStale && region.isFree);
  const from = addressOf(wanted[0]); // those of another page come next
  next = performance.now() + PAUSE;
  if (!wanted.length) return scheduleRefresh();
  const heard = wanted.map((region) => region.heard); // what changes from here on may not be in the answer
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
