import { words } from "../words.js";

// Two taps for a child: the card, then "we need this". Without script the card leads to its page.
class WishCards extends HTMLElement {
  connectedCallback() {
    const sheet = document.getElementById("wish");
    if (!(sheet instanceof HTMLDialogElement)) return;
    this.addEventListener("click", (event) => {
      const card = /** @type {Element} */ (event.target).closest("a[data-item]");
      if (!(card instanceof HTMLElement)) return;
      event.preventDefault();
      const input = sheet.querySelector("input[name=itemId]");
      if (input instanceof HTMLInputElement) input.value = card.dataset.item ?? "";
      const title = sheet.querySelector("h2");
      if (title) title.textContent = words("wish", { name: card.dataset.name ?? "" });
      sheet.showModal();
    });
  }
}

customElements.define("wish-cards", WishCards);
