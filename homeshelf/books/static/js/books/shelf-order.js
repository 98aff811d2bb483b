/** `<shelf-order>`: another order is there as soon as it is chosen. */
class ShelfOrder extends HTMLElement {
  connectedCallback() {
    const order = this.querySelector("select");
    order?.addEventListener("change", () => order.form?.requestSubmit());
  }
}

customElements.define("shelf-order", ShelfOrder);
