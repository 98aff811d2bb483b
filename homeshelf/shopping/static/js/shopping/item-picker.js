import { firstWord, foldName } from "../typing/names.js";

/**
 * Which of the stock something is.
 * @param {import("./known-names.js").KnownName[]} known @param {string} name what it is most like comes first
 * @returns {Promise<string | null>}
 */
export function pickItem(known, name) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("picking"));
  const select = /** @type {HTMLSelectElement} */ (dialog.querySelector("select"));
  const like = (/** @type {{name: string}} */ each) => Number(foldName(each.name).includes(firstWord(name)));
  const items = known.filter(({ itemId }) => itemId).sort((a, b) => like(b) - like(a));
  select.replaceChildren(...items.map((each) => new Option(each.name, each.itemId ?? "")));
  dialog.returnValue = "";
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue ? select.value : null), { once: true });
    dialog.showModal();
  });
}
