// Decide when a page sends the queue: at once, and again when it may be online.
import { switchUser } from "./current-user.js";
import { recoverJournal } from "./journal.js";
import { flush } from "./sender.js";

const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;
const SYNC_TAG = "homeshelf-queue";

const { member } = document.body.dataset;

let pause = FIRST_PAUSE;
let timer = 0;
/** @type {Promise<void> | null} */
let running = null;
/** @type {Promise<void> | null} */
let switching = null;
let isWanted = false;
/** True if the server asked for a pause, which must not be shortened. */
let isHeldBack = false;

/**
 * Send now and reset the retry pause.
 * @returns {Promise<void>} resolves when no more can be sent now
 */
export function scheduleFlush() {
  pause = FIRST_PAUSE;
  return send();
}

function send() {
  isWanted = true;
  if (isHeldBack) return Promise.resolve();
  running ??= run();
  return running;
}

/** Make the page's user current, so that nothing of the previous user is sent. Retried after a failure. */
export function ensureCurrentUser() {
  switching ??= member ? switchUser(member) : Promise.resolve();
  switching.catch(() => (switching = null));
  return switching;
}

/** Ask the browser to send the queue even if all pages are closed. */
export async function registerBackgroundSync() {
  const worker = /** @type {any} */ (await navigator.serviceWorker?.getRegistration());
  await worker?.sync?.register(SYNC_TAG).catch(() => {}); // it may be disabled
}

async function run() {
  clearTimeout(timer);
  try {
    while (isWanted) {
      isWanted = false;
      const { isDone, retryAfter = 0 } = await tryFlush();
      if (isDone) pause = FIRST_PAUSE;
      else return retryLater(retryAfter * 1000);
    }
  } finally {
    running = null;
  }
}

/** A failing database is retried like a cut connection. @returns {ReturnType<typeof flush>} */
async function tryFlush() {
  try {
    await ensureCurrentUser();
    const isAll = await recoverJournal();
    const sent = await flush();
    return { ...sent, isDone: sent.isDone && isAll };
  } catch {
    return { isDone: false };
  }
}

/**
 * A pause over a minute is a limit of one record, so others are not held back.
 * @param {number} requested milliseconds requested by the server
 */
function retryLater(requested) {
  isHeldBack = requested > 0 && requested <= LONGEST_PAUSE;
  const retry = () => {
    isHeldBack = false;
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    send();
  };
  timer = setTimeout(retry, Math.max(pause, requested));
}

addEventListener("online", scheduleFlush);
addEventListener("pageshow", scheduleFlush);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && scheduleFlush());
document.addEventListener("homeshelf:line", (event) => {
  if (/** @type {CustomEvent} */ (event).detail) scheduleFlush();
});
