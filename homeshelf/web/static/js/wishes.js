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
  const change = /** @type {CustomEvent} */ (event).detail;
  if (change.type !== "Suggestion" || !document.querySelector("wish-cards, decide-cards")) return;
  const typing = document.querySelector("dialog[open]") || [...document.querySelectorAll("input")].some((input) => input.type === "text" && input.value);
  if (!typing && isNew(change)) location.reload();
});

/**
 * A page hears again of what changed just before it was made: what is on it is no news, nor is what
 * it was loaded anew for.
 * @param {{id: string, version: number | null}} change
 */
function isNew(change) {
  const version = document.getElementById(change.id)?.querySelector("[name=version]")?.getAttribute("value");
  const shown = JSON.parse(sessionStorage.getItem("homeshelf:shown") ?? "[]");
  const told = `${change.id} ${change.version}`;
  if (version === String(change.version) || shown.includes(told)) return false;
  sessionStorage.setItem("homeshelf:shown", JSON.stringify([...shown.slice(-20), told]));
  return true;
}

customElements.define("wish-cards", WishCards);
