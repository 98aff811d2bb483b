// Send a no once its toast is gone, because the server cannot take a decision back.
import { send } from "../api.js";
import { overrideDefault } from "../override-default.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

/** @type {Map<HTMLFormElement, () => void>} the forms that wait, with what sends each */
const waiting = new Map();

/** @param {HTMLFormElement} form */
function sayNo(form) {
  const card = cardOf(form);
  form.dataset.waiting = ""; // a live update leaves the card alone
  waiting.set(form, () => sendNo(form));
  arrange();
  const undo = () => (finish(form), card.querySelector("button")?.focus());
  toast(words("saidNo", { name: card.dataset.name ?? "" }), { undo, gone: () => waiting.get(form)?.() });
}

/** @param {HTMLFormElement} form */
async function sendNo(form) {
  waiting.set(form, () => {});
  const given = new FormData(form);
  const body = { version: Number(given.get("version")), rejectionNotes: given.get("rejectionNotes") || null };
  const answer = await send("POST", `/api/v1/suggestions/${cardOf(form).id}/reject`, body);
  const card = cardOf(form);
  finish(form);
  if (answer.isHeard) card.remove(); // it is decided, by this or another person
  if (!answer.ok) toast(answer.says());
  arrange();
}

/** @param {HTMLFormElement} form that waits no longer */
function finish(form) {
  waiting.delete(form);
  delete form.dataset.waiting;
  arrange();
}

/** Show the first card that does not wait. */
function arrange() {
  const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".decide")]);
  const next = cards.find((card) => !card.querySelector("form[data-waiting]"));
  for (const card of cards) card.toggleAttribute("data-later", card !== next);
  document.querySelector(".more-wishes")?.toggleAttribute("hidden", waiting.size > 0);
}

/** @param {HTMLFormElement} form */
function cardOf(form) {
  return /** @type {HTMLElement} */ (form.closest(".decide"));
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const isNo = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === "no";
  if (isNo && form.closest(".decide")) overrideDefault(event, () => sayNo(form));
}, true); // before the form is marked as sent
document.addEventListener("homeshelf:renewed", () => waiting.size && arrange());
addEventListener("pagehide", () => {
  for (const sendNow of waiting.values()) sendNow();
});
