// Keep the screen awake, dim it at night by the local time, and keep the latest page for a start without a connection.
const MINUTE = 60_000;
const KEPT_AFTER = 2000;
const [EVENING, MORNING] = [21, 6];

/** A browser releases the lock of a hidden page, and refuses one if the battery is low. */
async function keepAwake() {
  if (document.hidden || !("wakeLock" in navigator)) return;
  await navigator.wakeLock.request("screen").catch(() => {});
}

function dimAtNight() {
  const hour = new Date().getHours();
  document.documentElement.toggleAttribute("data-night", hour >= EVENING || hour < MORNING);
}

let keeping = 0;

/** Replace the page that the service worker stored when the display was opened. */
function keepPageSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(keepPage, KEPT_AFTER);
}

async function keepPage() {
  const [name] = (await caches.keys()).filter((each) => each.endsWith("-pages"));
  const request = new Request(location.pathname, { redirect: "error" });
  if (name) await (await caches.open(name)).add(request).catch(() => {});
}

document.addEventListener("visibilitychange", keepAwake);
if ("caches" in window) document.addEventListener("homeshelf:renewed", keepPageSoon);
setInterval(dimAtNight, MINUTE);
keepAwake();
dimAtNight();
