import { Camera } from "../scanning/camera.js";
import { isBarcode } from "../scanning/barcodes.js";

/** `<barcode-scanner>`: scans a barcode with the camera and submits the search. */
class BarcodeScanner extends HTMLElement {
  /** @type {Camera | undefined} */
  camera;

  connectedCallback() {
    this.camera ??= Camera.in(this, (codes) => this.handleCodes(codes));
    if (this.camera) this.querySelector(".no-scanner")?.remove();
  }

  disconnectedCallback() {
    this.camera?.stop();
  }

  /** @param {string[]} codes */
  handleCodes(codes) {
    const code = codes.find(isBarcode);
    const input = this.querySelector("input");
    if (!code || !input) return;
    input.value = code;
    this.camera?.stop();
    input.form?.requestSubmit();
  }
}

customElements.define("barcode-scanner", BarcodeScanner);
