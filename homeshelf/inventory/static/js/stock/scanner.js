import { Camera, canScan } from "../scanning/camera.js";
import { FORMATS, isBarcode } from "../scanning/barcodes.js";
import { words } from "../words.js";

/** `<barcode-scanner>`: scans a barcode with the camera, if the browser supports it, and submits the search. */
class BarcodeScanner extends HTMLElement {
  /** @type {Camera | undefined} */
  camera;

  connectedCallback() {
    const [button, video] = [this.querySelector(".scan"), this.querySelector("video")];
    if (!(button instanceof HTMLButtonElement) || !video || !canScan()) return;
    const camera = (this.camera = new Camera(video, FORMATS, (codes) => this.handleCodes(codes)));
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (camera.isOn) camera.stop();
      else await camera.start();
      const word = button.querySelector("span");
      if (word) word.textContent = words(camera.isOn ? "stop" : "scan");
    });
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
