// What was counted in a cupboard and waits is no part of the page yet, which says so; what came to nothing is said too.
import { listWaiting } from "../queue/api.js";
import "../taking/said.js";

const place = document.querySelector(".taken-waiting");

async function show() {
  const changes = await listWaiting();
  place?.toggleAttribute("hidden", !changes.some(({ kind }) => /^stock\./.test(kind)));
}

document.addEventListener("homeshelf:queue", show);
show();
