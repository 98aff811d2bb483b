import { words } from "../words.js";

// Says so while nothing of what others do can arrive, because the signal is gone or the server is.
const PATIENCE = 6000; // a stream that ends begins again within seconds
let pending = 0;

/** @param {string} text */
function say(text) {
  const place = document.querySelector(".signal");
  if (place && place.textContent !== text) place.textContent = text;
}

/** @param {number} patience */
function lost(patience) {
  pending ||= setTimeout(() => say(words("noSignal")), patience);
}

function found() {
  clearTimeout(pending);
  pending = 0;
  say("");
}

document.addEventListener("homeshelf:line", (event) => {
  if (/** @type {CustomEvent} */ (event).detail) found();
  else lost(PATIENCE);
});
addEventListener("offline", () => (found(), lost(0)));
addEventListener("online", found);
if (!navigator.onLine) lost(0);
