const SECONDS = 6;

/**
 * Says what happened, at the foot of the page, and offers a way back.
 * @param {string} text
 * @param {{undo?: () => void, word?: string}} [options]
 */
export function toast(text, { undo, word = "Undo" } = {}) {
  const place = document.querySelector(".toasts");
  if (!place) return;
  const box = document.createElement("div");
  box.className = "toast";
  const line = document.createElement("span");
  line.textContent = text;
  box.append(line);
  const leave = setTimeout(() => box.remove(), SECONDS * 1000);
  if (undo) {
    const button = document.createElement("button");
    button.className = "button";
    button.textContent = word;
    button.addEventListener("click", () => {
      clearTimeout(leave);
      box.remove();
      undo();
    });
    box.append(button);
  }
  place.replaceChildren(box);
}
