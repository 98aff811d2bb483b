// When a page sends: at once, and again whenever there may be a signal.
import { switchUser } from "./current-user.js";
import { recoverJournal } from "./journal.js";
import { flush } from "./sender.js";

const FIRST = 2000;
const LONGEST = 60_000;
const SYNC = "homeshelf-queue";

const { member } = document.body.dataset;

let pause = FIRST;
let timer = 0;
/** @type {Promise<void> | null} */
let running = null;
/** @type {Promise<void> | null} */
let arriving = null;
let isWanted = false;
/** Whether the server has asked for a pause, which nothing that happens meanwhile shortens. */
let isHeldBack = false;

/**
 * Somebody has done something, or there may be a signal: then the pauses between two tries are short again.
 * @returns {Promise<void>} when all is sent that can be just now
 */
export function scheduleFlush() {
  pause = FIRST;
  return send();
}

function send() {
  isWanted = true;
  if (isHeldBack) return Promise.resolve();
  running ??= run();
  return running;
}

/** When the person of this page is here, and nothing of the one before is sent. What failed is tried again. */
export function ensureCurrentUser() {
  arriving ??= member ? switchUser(member) : Promise.resolve();
  arriving.catch(() => (arriving = null));
  return arriving;
}

/** The browser sends it even if all our pages are closed, where it can. */
export async function registerBackgroundSync() {
  const worker = /** @type {any} */ (await navigator.serviceWorker?.getRegistration());
  await worker?.sync?.register(SYNC).catch(() => {}); // a person may have forbidden it
}

async function run() {
  clearTimeout(timer);
  try {
    while (isWanted) {
      isWanted = false;
      const { isDone, retryAfter = 0 } = await tryFlush();
      if (isDone) pause = FIRST;
      else return retryLater(retryAfter * 1000);
    }
  } finally {
    running = null;
  }
}

/** A browser's database that fails is tried again, as a line that is cut. @returns {ReturnType<typeof flush>} */
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
 * A longer pause than a minute is a limit for one record: what a person does to others is tried at once.
 * @param {number} asked for by the server
 */
function retryLater(asked) {
  isHeldBack = asked > 0 && asked <= LONGEST;
  const again = () => {
    isHeldBack = false;
    pause = Math.min(pause * 2, LONGEST);
    send();
  };
  timer = setTimeout(again, Math.max(pause, asked));
}

addEventListener("online", scheduleFlush);
addEventListener("pageshow", scheduleFlush);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && scheduleFlush());
document.addEventListener("homeshelf:line", (event) => {
  if (/** @type {CustomEvent} */ (event).detail) scheduleFlush();
});
