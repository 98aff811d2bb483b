import { deletePages } from "./page-cache.js";
import { toast } from "./toast.js";
import { words } from "./words.js";

// Register the service worker, which caches visited pages. It needs HTTPS or localhost; otherwise a toast says so once.
const SAID = "homeshelf:needs-https";

if ("serviceWorker" in navigator) {
  addEventListener("load", () => register().then(requestPages, () => {}));
} else if (!isSecureContext && document.body.dataset.family && !localStorage.getItem(SAID)) {
  localStorage.setItem(SAID, "1");
  toast(words("needsHttps"));
}

/** Registers the worker as a module, which can send the queue, or else as a classic script. */
function register() {
  const { serviceWorker } = navigator;
  return serviceWorker.register("/sw.js?module=1", { type: "module" }).catch(() => serviceWorker.register("/sw.js"));
}

/**
 * Have the worker cache this page and the pages to prefetch, once the browser has nothing else to do. Asking without
 * need could delay the worker of a new version.
 */
async function requestPages() {
  const { family, prefetched } = document.body.dataset;
  const found = await Promise.all((prefetched ?? "").split(" ").map((path) => caches.match(path)));
  if (!family || found.every(Boolean)) return;
  const registration = await navigator.serviceWorker.ready;
  const ask = () => registration.active?.postMessage("cache-pages");
  if ("requestIdleCallback" in window) requestIdleCallback(ask, { timeout: 3000 });
  else setTimeout(ask); // Safari
}

// Tablets are shared: forms that change the user or the family delete the cached pages.
const changesPerson = new RegExp(document.body.dataset.changesPerson ?? "(?!)");

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (changesPerson.test(new URL(form.action).pathname)) deletePages();
});
