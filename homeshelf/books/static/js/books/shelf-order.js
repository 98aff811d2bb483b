/** `<shelf-order>`: submits the form as soon as an order is chosen. */
class ShelfOrder extends HTMLElement {
  connectedCallback() {
    const order = this.querySelector("select");
    order?.addEventListener("change", () => order.form?.requestSubmit());
  }
}

customElements.define("shelf-order", ShelfOrder);
