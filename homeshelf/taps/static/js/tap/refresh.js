import { fetchTap, DEAD } from "./request.js";

/**
 * Refresh the count: another client may have tapped, or the queue has sent something.
 * @param {import("../tap.js").TapPage} page @param {"meanwhile" | "sent"} why
 */
export async function refreshCount(page, why) {
  const isBusy = () => page.isStopped || page.sender.isWaiting || page.held.length > 0;
  const answer = await fetchTap(page.tag).catch(() => null);
  if (isBusy()) return;
  if (answer?.status === DEAD) page.end();
  if (!answer?.ok) return;
  const { quantity } = await answer.json();
  if ((quantity === page.count && why !== "sent") || isBusy()) return;
  page.dataset.count = String(quantity);
  page.say(why, { count: quantity });
  page.showUndo();
  page.show();
}
