// Update the counts in the navigation bar on live changes.
import { get } from "../api.js";

/** @type {NodeListOf<HTMLElement>} */
const badges = document.querySelectorAll("live-badge");
const kinds = new Set([...badges].map((badge) => badge.dataset.on));
let waiting = 0;

async function refresh() {
  for (const path of new Set([...badges].map(({ dataset }) => dataset.from ?? ""))) await refreshFrom(path);
}

/** @param {string} path of the counts */
async function refreshFrom(path) {
  const answer = await get(path);
  if (!answer.ok) return;
  const counts = answer.body;
  for (const badge of badges) {
    if (badge.dataset.from !== path) continue;
    const count = counts[badge.dataset.count ?? ""] ?? 0;
    badge.textContent = count > 99 ? "99+" : String(count);
    badge.toggleAttribute("hidden", count === 0);
  }
}

document.addEventListener("homeshelf:change", (event) => {
  const { type } = /** @type {CustomEvent} */ (event).detail;
  if (!badges.length || (type !== "reset" && !kinds.has(type))) return;
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 100);
});
