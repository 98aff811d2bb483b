// The count of each item on this api: the server's last answer plus the presses since.
import { addDebounced } from "../queue/debounce.js";
import { PendingChanges } from "../queue/pending.js";
import { readCache, refreshCache } from "../queue/api.js";

export const KIND = "item.adjust";
const COUNTS = "counts";
const { member: who = "", family = "" } = document.body.dataset;

/** @type {Set<string>} */
let unsent = new Set();

const pending = new PendingChanges(({ kind }) => kind === KIND, draw, { readCached: () => readCache(COUNTS) });

/** @param {string} item @param {number} count shown by the page @param {number} version of that count */
export function countOf(item, count, version) {
  const answered = pending.cached?.[item];
  const base = answered?.version > version ? answered.quantity : count;
  const mine = pending.changes.filter(({ about, question }) => about === item && !question);
  const delta = mine.reduce((sum, { body }) => sum + body?.delta, 0);
  return { count: Math.max(0, base + delta), isWaiting: mine.length > 0 };
}

/** @param {string} item @param {string} label @param {number} delta */
export function adjustCount(item, label, delta) {
  const draft = { kind: KIND, about: item, label, method: "POST", path: `/api/v1/items/${item}/adjust` };
  pending.act([{ ...draft, body: { delta }, seen: null }], addDebounced);
}

function draw() {
  document.dispatchEvent(new CustomEvent("homeshelf:counts"));
  const before = unsent;
  unsent = new Set(pending.changes.map(({ about }) => about));
  for (const item of before) if (!unsent.has(item)) announceChange(item);
}

/** Refresh an item: changes by others were hidden while its adjustments were pending. @param {string} id */
function announceChange(id) {
  const detail = { type: "InventoryItem", id, version: null };
  document.dispatchEvent(new CustomEvent("homeshelf:change", { detail }));
}

/** Start to store the server's answers. */
async function openCounts() {
  if (!(await readCache(COUNTS))) await refreshCache(COUNTS, async () => ({}), (value, fresh) => value ?? fresh);
}

pending.read();
if (who && family) openCounts();
