import { words } from "../words.js";

/** @typedef {import("./known.js").Wanted} Wanted */

/** Shows what is about to be added. @param {Wanted[]} wanted @returns {Promise<Wanted[] | null>} what is left of it */
export function showAll(wanted) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("several"));
  const boxes = wanted.map(line);
  dialog.querySelector(".several-lines")?.replaceChildren(...boxes.map(({ label }) => label));
  dialog.returnValue = "";
  return new Promise((done) => {
    const chosen = () => wanted.filter((_, i) => boxes[i].box.checked);
    dialog.addEventListener("close", () => done(dialog.returnValue ? chosen() : null), { once: true });
    dialog.showModal();
  });
}

/** @param {Wanted} wanted */
function line({ name, quantity, notes }) {
  const label = document.createElement("label");
  label.className = "check";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = true;
  const text = document.createElement("span");
  text.textContent = quantity ? words("there", { count: quantity, name }) : name;
  const small = document.createElement("small");
  small.textContent = notes ?? "";
  label.append(box, text, small);
  return { label, box };
}
