// `<print-page>`: a button that prints the page.
class PrintPage extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
}

customElements.define("print-page", PrintPage);
