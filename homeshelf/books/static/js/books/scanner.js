import { Camera, canScan } from "../scanning/camera.js";
import { words } from "../words.js";

/** `<isbn-scanner>`: reads a book's barcode with the camera, where the browser can. */
class IsbnScanner extends HTMLElement {
  /** @type {Camera | undefined} */
  camera;

  connectedCallback() {
    const [button, video] = [this.querySelector("button"), this.querySelector("video")];
    if (!button || !video || !canScan()) return;
    const camera = (this.camera = new Camera(video, ["ean_13"], (codes) => this.see(codes)));
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (camera.isOn) camera.stop();
      else await camera.start();
      this.show();
    });
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
    this.show();
    input.focus();
  }

  show() {
    const word = this.querySelector("button span");
    if (word) word.textContent = words(this.camera?.isOn ? "stop" : "scan");
  }
}

customElements.define("isbn-scanner", IsbnScanner);
