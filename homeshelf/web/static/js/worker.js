// Keeps the pages one has seen for when there is no signal. Only over HTTPS or on this machine.
if ("serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register("/sw.js").catch(() => {}));
}

// Signing out leaves nothing behind on a shared tablet.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.action.endsWith("/sign-out") || !("caches" in window)) return;
  caches.keys().then((names) => names.forEach((name) => caches.delete(name)));
});
