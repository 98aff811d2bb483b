import { words } from "../words.js";

/** @typedef {import("./known-names.js").ResolvedEntry} ResolvedEntry */

/**
 * Shows the entries before they are added.
 * @param {ResolvedEntry[]} wanted @returns {Promise<ResolvedEntry[] | null>} the entries that are kept
 */
export function reviewEntries(wanted) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("several"));
  const boxes = wanted.map(createCheckbox);
  dialog.querySelector(".several-lines")?.replaceChildren(...boxes.map(({ label }) => label));
  dialog.returnValue = "";
  return new Promise((done) => {
    const chosen = () => wanted.filter((_, i) => boxes[i].box.checked);
    dialog.addEventListener("close", () => done(dialog.returnValue ? chosen() : null), { once: true });
    dialog.showModal();
  });
}

/** @param {ResolvedEntry} wanted */
function createCheckbox({ name, quantity, notes, isRepeated }) {
  const label = document.createElement("label");
  label.className = "check";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = true;
  const text = document.createElement("span");
  text.textContent = quantity ? words("there", { count: quantity, name }) : name;
  const small = document.createElement("small");
  small.textContent = [notes, isRepeated && words("repeated")].filter(Boolean).join(" · ");
  label.append(box, text, small);
  return { label, box };
}
