// Counts in the bar that follow what others do.
import { get } from "../api.js";

const KINDS = new Set(["ShoppingListItem", "Suggestion", "Notification", "reset"]);
let waiting = 0;

async function refresh() {
  const badges = document.querySelectorAll("live-badge");
  if (!badges.length) return;
  const answer = await get("/api/v1/family/counts");
  if (!answer.ok) return;
  const counts = answer.body;
  for (const badge of badges) {
    const count = counts[/** @type {HTMLElement} */ (badge).dataset.count ?? ""] ?? 0;
    badge.textContent = count > 99 ? "99+" : String(count);
    badge.toggleAttribute("hidden", count === 0);
  }
}

document.addEventListener("homeshelf:change", (event) => {
  if (!KINDS.has(/** @type {CustomEvent} */ (event).detail.type)) return;
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 100);
});
