// What was counted in a cupboard and waits is no part of the page yet, which says so; what came to nothing is said too.
import { waiting } from "../queue/phone.js";
import "../taking/said.js";

const place = document.querySelector(".taken-waiting");

async function show() {
  const changes = await waiting();
  place?.toggleAttribute("hidden", !changes.some(({ kind }) => /^stock\./.test(kind)));
}

document.addEventListener("homeshelf:queue", show);
show();
