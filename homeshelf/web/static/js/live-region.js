import { getPage } from "./api.js";
import { holdingStill, isCalm } from "./calm.js";
import { isInUse, morph } from "./morph.js";

const TOGETHER = 100; // changes that come at once are fetched at once
const PAUSE = 500; // between two fetches, however much changes
const LONGEST = 60_000; // between two when the server does not answer
const SETTLED = 2500; // by then every index has what was written

/** @typedef {{type: string, id: string}} Change */

/**
 * `<live-region id="stock" data-on="InventoryItem StorageLocation">`: a part of a page that is fetched
 * again when a record of such a kind has changed (`Kind:id` for one alone), and becomes what it is by
 * then. It waits while somebody touches the page or writes in it. `data-from` is where it stands,
 * for a page that is also the answer to a form.
 */
class LiveRegion extends HTMLElement {
  heard = 0;
  shown = 0;

  get isStale() {
    return this.isConnected && this.heard > this.shown;
  }

  /** Whether what it shows may move. */
  get isFree() {
    const writing = this.querySelector(":is(input, textarea, select):focus, details.menu[open]");
    return isCalm() && !writing;
  }

  /** @param {Change} change */
  shows({ type, id }) {
    const kinds = (this.dataset.on ?? "").split(" ");
    return type === "reset" || kinds.includes(type) || kinds.includes(`${type}:${id}`);
  }

  /** @param {Document} page @param {number} heard how much it had heard when the page was asked for */
  become(page, heard) {
    if (!this.isFree) return;
    this.shown = heard;
    const fresh = page.getElementById(this.id);
    if (!fresh) return loadAnew();
    holdingStill(() => morph(this, fresh));
    this.dispatchEvent(new CustomEvent("homeshelf:renewed", { bubbles: true }));
  }
}

/** The page is not there any more, or not for them; unless something would be lost, that shows. */
function loadAnew() {
  if (![...document.forms].some(isInUse)) location.reload();
}

let timer = 0;
let next = 0; // when the server may be asked again
let trouble = 0;
let asking = false;

/** @returns {LiveRegion[]} */
const regions = () => /** @type {any} */ ([...document.querySelectorAll("live-region")]);

function plan() {
  const wanted = !document.hidden && regions().some((region) => region.isStale);
  if (wanted && !asking && !timer) timer = setTimeout(renew, Math.max(TOGETHER, next - performance.now()));
}

async function renew() {
  timer = 0;
  const wanted = regions().filter((region) => region.isStale && region.isFree);
  next = performance.now() + PAUSE;
  if (!wanted.length) return plan();
  const heard = wanted.map((region) => region.heard); // what changes from here on may not be in the answer
  asking = true;
  const page = await ask(wanted[0].dataset.from ?? location.href);
  asking = false;
  trouble = page ? 0 : Math.min(LONGEST, 2 * trouble || 2 * PAUSE);
  next = performance.now() + (trouble || PAUSE);
  if (page) wanted.forEach((region, i) => region.become(page, heard[i]));
  plan();
}

/** @param {string} address @returns {Promise<Document | null>} null where it is worth asking again */
async function ask(address) {
  const answer = await getPage(address);
  return answer.isHeard && answer.status !== 429 ? answer.page : null;
}

let settling = 0;
/** @type {Set<LiveRegion>} */
const doubtful = new Set();

/** @param {Iterable<LiveRegion>} those */
function refresh(those) {
  for (const region of those) region.heard += 1;
  plan();
}

/** Where indexes are behind for a moment, what was fetched at once is fetched once more. @param {LiveRegion[]} those */
function lookTwice(those) {
  for (const region of those) doubtful.add(region);
  clearTimeout(settling);
  settling = setTimeout(() => (refresh(doubtful), doubtful.clear()), SETTLED);
}

document.addEventListener("homeshelf:change", (event) => {
  const change = /** @type {CustomEvent<Change>} */ (event).detail;
  const those = regions().filter((region) => region.shows(change));
  refresh(those);
  if ("lags" in document.body.dataset && those.length) lookTwice(those);
});
document.addEventListener("visibilitychange", plan);

customElements.define("live-region", LiveRegion);
