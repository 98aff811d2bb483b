import { deletePages } from "./page-cache.js";
import { toast } from "./toast.js";
import { words } from "./words.js";

// Keeps the pages one has seen for when there is no signal. Only over HTTPS or on this machine;
// elsewhere that is said, once.
const SAID = "homeshelf:needs-https";

if ("serviceWorker" in navigator) {
  addEventListener("load", () => register().catch(() => {}));
} else if (!isSecureContext && document.body.dataset.family && !localStorage.getItem(SAID)) {
  localStorage.setItem(SAID, "1");
  toast(words("needsHttps"));
}

/** As a module it can send what waits; a browser that has no such workers has the other kind. */
function register() {
  const { serviceWorker } = navigator;
  return serviceWorker.register("/sw.js?module=1", { type: "module" }).catch(() => serviceWorker.register("/sw.js"));
}

// Whoever comes, goes or changes family finds nothing of before: a tablet in the kitchen is shared.
const changesPerson = new RegExp(document.body.dataset.changesPerson ?? "(?!)");

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (changesPerson.test(new URL(form.action).pathname)) deletePages();
});
