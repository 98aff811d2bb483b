// Track whether any tab of this browser is visible: each holds a shared lock while visible and announces changes.
const UNSEEN_AFTER = 10_000;
const NAME = "homeshelf:seen";
const together = "BroadcastChannel" in window && navigator.locks;
const channel = together ? new BroadcastChannel(NAME) : null;

/** @type {() => void} */
let release = () => {};

function updateLock() {
  release();
  if (document.hidden || !together) return channel?.postMessage(null);
  navigator.locks.request(NAME, { mode: "shared" }, () => {
    channel?.postMessage(null);
    return document.hidden ? null : new Promise((done) => (release = () => done(null)));
  });
}

async function isAnyTabVisible() {
  if (!document.hidden || !together) return !document.hidden;
  return !!(await navigator.locks.query()).held?.some((lock) => lock.name === NAME);
}

/**
 * Report visible tabs at once, and hidden ones after a delay. The locks are queried again, because a crashed tab
 * announces nothing and a message may arrive before its lock changes.
 * @param {(seen: boolean) => void} tell
 */
export function watchVisibility(tell) {
  let waiting = 0;
  /** @param {boolean} before */
  const look = async (before) => {
    clearTimeout(waiting);
    const seen = await isAnyTabVisible();
    if (seen || !before) tell(seen);
    if (seen ? document.hidden : before) waiting = setTimeout(() => look(seen), UNSEEN_AFTER);
  };
  const ask = () => look(true);
  document.addEventListener("visibilitychange", ask);
  channel?.addEventListener("message", ask);
  return ask;
}

document.addEventListener("visibilitychange", updateLock);
updateLock();
