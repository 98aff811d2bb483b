import { call, DEAD } from "./asking.js";

/**
 * How many there are by now: others may have been here, or the queue has sent something.
 * @param {import("../tap.js").TapPage} page @param {"meanwhile" | "sent"} why
 */
export async function lookAgain(page, why) {
  const isBusy = () => page.stuck || page.sending.isWaiting || page.held.length > 0;
  const answer = await call(page.tag).catch(() => null);
  if (isBusy()) return;
  if (answer?.status === DEAD) page.end();
  if (!answer?.ok) return;
  const { quantity } = await answer.json();
  if ((quantity === page.count && why !== "sent") || isBusy()) return;
  page.dataset.count = String(quantity);
  page.say(why, { count: quantity });
  page.offerUndo();
  page.show();
}
