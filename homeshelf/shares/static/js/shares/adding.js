import { send } from "../api.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

/** @param {import("./list.js").SharedList} list @param {HTMLFormElement} form */
export async function add(list, form) {
  const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("name"));
  const typed = input.value.trim();
  if (!typed || form.dataset.busy) return;
  form.dataset.busy = "1";
  const answer = await send("POST", `${list.api}/items`, { name: typed });
  delete form.dataset.busy;
  if (!answer.ok) return toast(answer.says(words("notAdded")));
  if (input.value.trim() === typed) input.value = "";
  input.focus();
  await list.resync();
  list.querySelector("li:last-child")?.scrollIntoView({ block: "nearest" });
}
