/**
 * A question with some answers. Whoever closes it gave none.
 * @template T
 * @param {string} title @param {string} text
 * @param {{word: string, means: T}[]} choices the first is what most people want
 * @returns {Promise<T | null>}
 */
export function ask(title, text, choices) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("asking"));
  const [head, line, place] = ["h2", ".asking-text", ".asking-choices"].map((each) => /** @type {Element} */ (dialog.querySelector(each)));
  head.textContent = title;
  line.textContent = text;
  return new Promise((done) => {
    place.replaceChildren(...choices.map(({ word, means }, i) => choice(word, i === 0, () => (done(means), dialog.close()))));
    dialog.addEventListener("close", () => done(null), { once: true });
    dialog.showModal();
  });
}

/** @param {string} word @param {boolean} isMain @param {() => void} chosen */
function choice(word, isMain, chosen) {
  const button = document.createElement("button");
  button.type = "button";
  button.classList.add("button", isMain ? "button-main" : "button-quiet");
  button.textContent = word;
  button.addEventListener("click", chosen);
  return button;
}
