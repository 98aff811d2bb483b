// Read barcodes with the camera: in the browser if it can, or else on the server, which gets grey pictures. Without a
// live camera, which needs HTTPS, the phone takes a photo.
import { post } from "../api.js";
import { toast } from "../toast.js";
import { words } from "../words.js";
import { FORMATS } from "./barcodes.js";
import { toGrey } from "./grey-picture.js";

const SCAN_EVERY = 200;
const SEND_EVERY = 600;
const ZOOMS = [1, 2]; // how far to zoom into a photo

export class Camera {
  /** @type {MediaStream | undefined} */
  #stream;

  /**
   * Return the camera of an element with a button and a video, if barcodes can be read here.
   * @param {Element | null} place @param {(codes: string[]) => void} see called with the visible codes
   */
  static in(place, see) {
    const [button, video] = [place?.querySelector("button[type='button']"), place?.querySelector("video")];
    const canRead = document.body.dataset.barcodeReader || ("BarcodeDetector" in window && navigator.mediaDevices);
    if (!canRead || !(button instanceof HTMLButtonElement) || !video) return undefined;
    return new Camera(button, video, see);
  }

  /** @param {HTMLButtonElement} button @param {HTMLVideoElement} video @param {(codes: string[]) => void} see */
  constructor(button, video, see) {
    this.button = button;
    this.video = video;
    this.see = see;
    button.hidden = false;
    button.addEventListener("click", () => (this.#stream ? this.stop() : this.#start()));
  }

  stop() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#show(undefined);
  }

  async #start() {
    if (!navigator.mediaDevices) return this.#takePhoto();
    const stream = await navigator.mediaDevices
      .getUserMedia({ video: { facingMode: "environment" } })
      .catch(() => undefined);
    if (!stream) return toast(words("noCamera"));
    this.#show(stream);
    await this.video.play();
    await ("BarcodeDetector" in window ? this.#detect() : this.#send());
  }

  /** @param {MediaStream | undefined} stream */
  #show(stream) {
    this.#stream = stream;
    this.video.srcObject = stream ?? null;
    this.video.hidden = !stream;
    const word = this.button.querySelector("span");
    if (word) word.textContent = words(stream ? "stop" : "scan");
  }

  async #detect() {
    const Detector = /** @type {any} */ (window).BarcodeDetector;
    const detector = new Detector({ formats: FORMATS });
    while (this.#stream) {
      const codes = await detector.detect(this.video).catch(() => []);
      if (this.#stream) this.see(codes.map((/** @type {{rawValue: string}} */ { rawValue }) => rawValue));
      await pause(SCAN_EVERY);
    }
  }

  async #send() {
    while (this.#stream) {
      const { videoWidth: width, videoHeight: height } = this.video;
      const reading = read(this.video, width, Math.min(height, width / 2), width, height);
      const [codes] = await Promise.all([reading, pause(SEND_EVERY)]);
      if (this.#stream && codes) this.see(codes);
      if (!codes) this.stop();
    }
  }

  #takePhoto() {
    const input = Object.assign(document.createElement("input"), { type: "file", accept: "image/*" });
    input.setAttribute("capture", "environment");
    input.addEventListener("change", async () => {
      const photo = await createImageBitmap(/** @type {File} */ (input.files?.[0])).catch(() => undefined);
      if (!photo) return toast(words("noBarcode"));
      for (const zoom of ZOOMS) {
        const codes = await read(photo, photo.width / zoom, photo.height / zoom, photo.width, photo.height);
        if (!codes) return;
        if (codes.length) return this.see(codes);
      }
      toast(words("noBarcode"));
    });
    input.click();
  }
}

/**
 * Return the codes in the middle of a picture, or undefined, with a toast, if the server cannot read it.
 * @param {CanvasImageSource} picture @param {number} width of the middle @param {number} height of the middle
 * @param {number} fullWidth @param {number} fullHeight @returns {Promise<string[] | undefined>}
 */
async function read(picture, width, height, fullWidth, fullHeight) {
  const middle = { x: (fullWidth - width) / 2, y: (fullHeight - height) / 2, width, height };
  const grey = toGrey(picture, middle);
  const path = `${document.body.dataset.barcodeReader}?width=${grey.width}&height=${grey.height}`;
  const answer = await post(path, grey.pixels, { "Content-Type": "application/octet-stream" });
  const { codes } = answer.body; // none if the session has ended
  if (!codes) toast(words("noReader"));
  return codes;
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
