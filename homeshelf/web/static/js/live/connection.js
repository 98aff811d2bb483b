import { words } from "../words.js";

// Show a notice while no live changes can arrive.
const GRACE_PERIOD = 6000; // a stream that ends is reopened within seconds
let pending = 0;

/** @param {string} text */
function showNotice(text) {
  const place = document.querySelector(".signal");
  if (place && place.textContent !== text) place.textContent = text;
}

/** @param {number} patience */
function scheduleNotice(patience) {
  pending ||= setTimeout(() => showNotice(words("noSignal")), patience);
}

function clearNotice() {
  clearTimeout(pending);
  pending = 0;
  showNotice("");
}

document.addEventListener("homeshelf:line", (event) => {
  if (/** @type {CustomEvent} */ (event).detail) clearNotice();
  else scheduleNotice(GRACE_PERIOD);
});
addEventListener("offline", () => (clearNotice(), scheduleNotice(0)));
addEventListener("online", clearNotice);
if (!navigator.onLine) scheduleNotice(0);
