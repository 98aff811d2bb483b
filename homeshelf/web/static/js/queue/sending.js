// Sends what waits, in a page or in the service worker, but never in two of them at once.
import { kept } from "./kept.js";
import { kinds, learn } from "./kinds.js";
import { Queue } from "./queue.js";
import { send, serverTime } from "./request.js";
import { tell } from "./telling.js";
import { whoIsHere } from "./here.js";

const LOCK = "homeshelf:sending";

export const queue = new Queue({ store: kept, kinds, send: sendChange, now: serverTime, tell });

/** @type {import("./queue.js").Outside["send"]} */
function sendChange(change) {
  return send(change, kinds[change.kind]?.omitsCookies);
}

/** Of the person who is here, and of nobody. @returns {ReturnType<typeof queue.flush>} */
export function flush() {
  const work = async () =>
    (await learn(await kept.changes())) ? queue.flush(await whoIsHere()) : { isDone: false };
  return navigator.locks ? navigator.locks.request(LOCK, work) : work();
}
