import { toast } from "../toast.js";
import { words } from "../words.js";

const SCAN_EVERY = 200;

/** `<isbn-scanner>`: reads a book's barcode with the camera, where the browser can. */
class IsbnScanner extends HTMLElement {
  /** @type {MediaStream | undefined} */
  stream;

  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !("BarcodeDetector" in window) || !navigator.mediaDevices) return;
    button.hidden = false;
    button.addEventListener("click", () => (this.stream ? this.stop() : this.start()));
  }

  disconnectedCallback() {
    this.stop();
  }

  async start() {
    const video = this.querySelector("video");
    if (!video) return;
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    } catch {
      toast(words("noCamera"));
      return;
    }
    video.srcObject = this.stream;
    this.show(true);
    await video.play();
    const Detector = /** @type {any} */ (window).BarcodeDetector;
    const detector = new Detector({ formats: ["ean_13"] });
    while (this.stream) {
      const codes = await detector.detect(video).catch(() => []);
      const found = codes.find((/** @type {{rawValue: string}} */ code) => /^97[89]/.test(code.rawValue));
      if (found && this.stream) this.take(found.rawValue);
      await new Promise((done) => setTimeout(done, SCAN_EVERY));
    }
  }

  /** @param {string} isbn */
  take(isbn) {
    const input = this.querySelector("input");
    if (input) input.value = isbn;
    this.stop();
    input?.focus();
  }

  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = undefined;
    this.show(false);
  }

  /** @param {boolean} scans */
  show(scans) {
    const video = this.querySelector("video");
    const word = this.querySelector("button span");
    if (video) video.hidden = !scans;
    if (word) word.textContent = words(scans ? "stop" : "scan");
  }
}

customElements.define("isbn-scanner", IsbnScanner);
