/**
 * Ask a question with several answers; closing the dialog returns null.
 * @template T
 * @param {string} title @param {string} text
 * @param {{word: string, means: T}[]} choices the first is what most people want
 * @returns {Promise<T | null>}
 */
export function askQuestion(title, text, choices) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("asking"));
  for (const [place, said] of [["h2", title], [".question-text", text]])
    /** @type {Element} */ (dialog.querySelector(place)).textContent = said;
  return new Promise((done) => {
    const answer = (/** @type {T} */ means) => () => (done(means), dialog.close());
    const buttons = choices.map(({ word, means }, i) => createButton(word, i === 0, answer(means)));
    dialog.querySelector(".question-choices")?.replaceChildren(...buttons);
    dialog.addEventListener("close", () => done(null), { once: true });
    dialog.showModal();
  });
}

/** @param {string} word @param {boolean} isMain @param {() => void} chosen */
function createButton(word, isMain, chosen) {
  const button = document.createElement("button");
  button.type = "button";
  button.classList.add("button", isMain ? "button-main" : "button-quiet");
  button.textContent = word;
  button.addEventListener("click", chosen);
  return button;
}
