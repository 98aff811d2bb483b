// Tells the user about pending stocktaking changes, which the page does not show yet, and about refused ones.
import { listWaiting } from "../queue/api.js";
import "../taking/lost-items.js";

const place = document.querySelector(".taken-waiting");

async function show() {
  const changes = await listWaiting();
  place?.toggleAttribute("hidden", !changes.some(({ kind }) => /^stock\./.test(kind)));
}

document.addEventListener("homeshelf:queue", show);
show();
