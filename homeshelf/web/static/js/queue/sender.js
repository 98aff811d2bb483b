// Send the queue in a page or the service worker, never in two at once.
import { store } from "./store.js";
import { kinds, loadKinds } from "./kinds.js";
import { Queue } from "./queue.js";
import { send, getServerTime } from "./request.js";
import { broadcast } from "./broadcast.js";
import { getCurrentUser } from "./current-user.js";

const LOCK = "homeshelf:sending";

export const queue = new Queue({ store, kinds, send: sendChange, now: getServerTime, tell: broadcast });

/** @type {import("./queue.js").Outside["send"]} */
function sendChange(change) {
  return send(change, kinds[change.kind]?.omitsCookies);
}

/** Send changes of the current user and anonymous ones. @returns {ReturnType<typeof queue.flush>} */
export function flush() {
  const work = async () =>
    (await loadKinds(await store.changes())) ? queue.flush(await getCurrentUser()) : { isDone: false };
  return navigator.locks ? navigator.locks.request(LOCK, work) : work();
}
