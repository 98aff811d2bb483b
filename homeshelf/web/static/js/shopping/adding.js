import { post } from "../api.js";
import { instead } from "../instead.js";
import { toast } from "../toast.js";
import { words } from "../words.js";
import { refresh } from "./following.js";

/** What is typed at the foot of the page is on the list at once. @param {HTMLElement} list */
export function addQuickly(list) {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".quick-add"));
  form?.addEventListener("submit", (event) => instead(event, () => add(list, form)));
}

/** @param {HTMLElement} list @param {HTMLFormElement} form @param {boolean} [force] */
async function add(list, form, force = false) {
  const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("text"));
  const typed = input.value;
  if (!typed.trim()) return;
  const body = new URLSearchParams();
  new FormData(form).forEach((value, name) => body.set(name, String(value)));
  if (force) body.set("force", "1");
  input.value = "";
  input.focus();
  const answer = await post(form.action, body, { Accept: "application/json" });
  const { existing, shoppingItemId } = answer.body;
  const again = () => ((input.value = typed), add(list, form, true));
  if (existing) return askWhether(existing, again);
  if (answer.ok) return refresh(list, shoppingItemId);
  input.value = typed;
  toast(answer.says(words("notAdded")));
}

/** @param {{name: string, quantity: number | null}} existing @param {() => void} again */
function askWhether({ name, quantity }, again) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("again"));
  const [title, there, button] = ["h2", ".again-there", "[data-again]"].map((each) => dialog.querySelector(each));
  if (title) title.textContent = words("thereAlready", { name });
  if (there) there.textContent = quantity ? words("there", { count: quantity, name }) : name;
  if (button instanceof HTMLElement) button.onclick = () => (dialog.close(), again());
  dialog.showModal();
}
