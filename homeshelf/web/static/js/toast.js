import { words } from "./words.js";

const SECONDS = 6;

let closeLast = () => {};

/**
 * Show a message at the foot of the page, with an undo button if given. It stays while hovered or focused.
 * @param {string} text
 * @param {{undo?: () => void, gone?: () => void, word?: string}} [options] `gone` is called unless undo is pressed
 */
export function toast(text, { undo, gone = () => {}, word = words("undo") } = {}) {
  const place = document.querySelector(".toasts");
  closeLast();
  if (!place) return gone();
  const box = document.createElement("div");
  box.className = "toast";
  const line = document.createElement("span");
  line.textContent = text;
  box.append(line);
  let leave = 0;
  const close = (then = gone) => {
    clearTimeout(leave);
    box.remove();
    closeLast = () => {};
    then();
  };
  if (undo) box.append(createButton(word, () => close(undo)));
  closeLast = close;
  place.classList.toggle("toasts-above", Boolean(document.activeElement?.closest(".quick-add")));
  place.replaceChildren(box);

  const stay = () => clearTimeout(leave);
  const wait = () => (stay(), (leave = setTimeout(() => close(), SECONDS * 1000)));
  for (const kind of ["pointerenter", "focusin"]) box.addEventListener(kind, stay);
  for (const kind of ["pointerleave", "focusout"]) box.addEventListener(kind, wait);
  wait();
}

/** @param {string} word @param {() => void} back */
function createButton(word, back) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = word;
  button.addEventListener("click", back);
  return button;
}
