const SCAN_EVERY = 200;

/** `<isbn-scanner>`: reads a book's barcode with the camera, where the browser can. */
class IsbnScanner extends HTMLElement {
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
      return;
    }
    video.srcObject = this.stream;
    video.hidden = false;
    await video.play();
    const Detector = /** @type {any} */ (window).BarcodeDetector;
    const detector = new Detector({ formats: ["ean_13"] });
    while (this.stream) {
      const codes = await detector.detect(video).catch(() => []);
      const found = codes.find((/** @type {{rawValue: string}} */ code) => /^97[89]/.test(code.rawValue));
      if (found) this.take(found.rawValue);
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
    const video = this.querySelector("video");
    if (video) video.hidden = true;
  }

  /** @type {MediaStream | undefined} */
  stream;
}

customElements.define("isbn-scanner", IsbnScanner);
