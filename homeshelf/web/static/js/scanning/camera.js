// Read barcodes with the camera if the browser supports it.
import { toast } from "../toast.js";
import { words } from "../words.js";

const SCAN_EVERY = 200;

export function canScan() {
  return "BarcodeDetector" in window && Boolean(navigator.mediaDevices);
}

export class Camera {
  /** @type {MediaStream | undefined} */
  #stream;

  /**
   * @param {HTMLVideoElement} video @param {string[]} formats
   * @param {(codes: string[]) => void} see called with the visible codes several times a second
   */
  constructor(video, formats, see) {
    this.video = video;
    this.formats = formats;
    this.see = see;
  }

  get isOn() {
    return this.#stream !== undefined;
  }

  async start() {
    const { mediaDevices } = navigator;
    this.#stream = await mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).catch(() => undefined);
    if (!this.#stream) return toast(words("noCamera"));
    this.video.srcObject = this.#stream;
    this.video.hidden = false;
    await this.video.play();
    this.#look();
  }

  stop() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = undefined;
    this.video.hidden = true;
  }

  async #look() {
    const Detector = /** @type {any} */ (window).BarcodeDetector;
    const detector = new Detector({ formats: this.formats });
    while (this.#stream) {
      const codes = await detector.detect(this.video).catch(() => []);
      if (this.#stream) this.see(codes.map((/** @type {{rawValue: string}} */ { rawValue }) => rawValue));
      await new Promise((done) => setTimeout(done, SCAN_EVERY));
    }
  }
}
