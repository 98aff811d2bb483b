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
      if (title) title.textContent = `${card.dataset.name}?`;
      sheet.showModal();
    });
  }
}

// What is decided elsewhere, or asked meanwhile, shows by itself once nobody is typing.
document.addEventListener("homeshelf:change", (event) => {
  const { type } = /** @type {CustomEvent} */ (event).detail;
  if (type !== "Suggestion" || !document.querySelector("wish-cards, decide-cards")) return;
  const typing = document.querySelector("dialog[open]") || [...document.querySelectorAll("input")].some((input) => input.type === "text" && input.value);
  if (!typing) location.reload();
});

customElements.define("wish-cards", WishCards);
