import { words } from "../words.js";

// Let a child ask with two taps: the card, then "we need this". Without scripts the card leads to its page.
class WishCards extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const card = /** @type {Element} */ (event.target).closest("a");
      if (card?.dataset.item) ask(event, card);
      else if (card) write(card.dataset.typed ?? "");
    });
  }
}

/** @param {Event} event @param {HTMLElement} card */
function ask(event, card) {
  const sheet = document.getElementById("wish");
  if (!(sheet instanceof HTMLDialogElement)) return;
  event.preventDefault();
  const input = sheet.querySelector("input[name=itemId]");
  if (input instanceof HTMLInputElement) input.value = card.dataset.item ?? "";
  const title = sheet.querySelector("h2");
  if (title) title.textContent = words("wish", { name: card.dataset.name ?? "" });
  const picture = card.querySelector(".picture")?.cloneNode(true);
  if (picture instanceof Element) {
    picture.classList.replace("picture-card", "picture-page");
    sheet.querySelector(".wish-picture")?.replaceChildren(picture);
  }
  sheet.showModal();
}

/** Use the search text as the name of a new wish. @param {string} name */
function write(name) {
  const input = document.querySelector("#new-wish input[name=name]");
  if (input instanceof HTMLInputElement && name) input.value = name;
}

customElements.define("wish-cards", WishCards);
