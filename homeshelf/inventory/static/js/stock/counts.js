// How many there are of each item, as this phone knows it: what the server told last, and what was pressed
// here since.
import { addDebounced } from "../queue/debounce.js";
import { PendingChanges } from "../queue/pending.js";
import { readCache, refreshCache } from "../queue/api.js";

export const KIND = "item.adjust";
const COUNTS = "counts";
const { member: who = "", family = "" } = document.body.dataset;

/** @type {Set<string>} */
let unsent = new Set();

const pending = new PendingChanges(({ kind }) => kind === KIND, draw, { readCached: () => readCache(COUNTS) });

/** @param {string} item @param {number} count of the page @param {number} version of that */
export function countOf(item, count, version) {
  const answered = pending.cached?.[item];
  const base = answered?.version > version ? answered.quantity : count;
  const mine = pending.changes.filter(({ about, question }) => about === item && !question);
  const delta = mine.reduce((sum, { body }) => sum + body?.delta, 0);
  return { count: Math.max(0, base + delta), isWaiting: mine.length > 0 };
}

/** @param {string} item @param {string} label @param {number} delta */
export function press(item, label, delta) {
  const draft = { kind: KIND, about: item, label, method: "POST", path: `/api/v1/items/${item}/adjust` };
  pending.act([{ ...draft, body: { delta }, seen: null }], addDebounced);
}

function draw() {
  document.dispatchEvent(new CustomEvent("homeshelf:counts"));
  const before = unsent;
  unsent = new Set(pending.changes.map(({ about }) => about));
  for (const item of before) if (!unsent.has(item)) lookAgain(item);
}

/** While it waited, nothing that others did to it was shown. @param {string} id */
function lookAgain(id) {
  const detail = { type: "InventoryItem", id, version: null };
  document.dispatchEvent(new CustomEvent("homeshelf:change", { detail }));
}

/** From here on the server's answers are kept. */
async function open() {
  if (!(await readCache(COUNTS))) await refreshCache(COUNTS, async () => ({}), (value, fresh) => value ?? fresh);
}

pending.read();
if (who && family) open();
