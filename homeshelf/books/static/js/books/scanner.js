import { Camera } from "../scanning/camera.js";

/** `<isbn-scanner>`: reads a book's barcode with the camera. */
class IsbnScanner extends HTMLElement {
  /** @type {Camera | undefined} */
  camera;

  connectedCallback() {
    this.camera ??= Camera.in(this, (codes) => this.see(codes));
  }

  disconnectedCallback() {
    this.camera?.stop();
  }

  /** @param {string[]} codes */
  see(codes) {
    const isbn = codes.find((code) => /^97[89]/.test(code));
    const input = this.querySelector("input");
    if (!isbn || !input) return;
    input.value = isbn;
    this.camera?.stop();
    input.focus();
  }
}

customElements.define("isbn-scanner", IsbnScanner);
