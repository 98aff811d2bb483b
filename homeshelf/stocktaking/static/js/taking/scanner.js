// The barcode scanner of stocktaking: a code counts again only after it has left the picture for a moment.
import { Camera, canScan } from "../scanning/camera.js";
import { FORMATS, isBarcode } from "../scanning/barcodes.js";
import { words } from "../words.js";

const REPEAT_DELAY = 1500;

export class TakeScanner {
  #last = { code: "", at: -Infinity };

  /** @param {HTMLElement} page @param {(code: string) => void} take */
  constructor(page, take) {
    this.take = take;
    const place = page.querySelector(".take-scan");
    const [button, video] = [place?.querySelector("button"), place?.querySelector("video")];
    if (!place || !button || !video || !canScan()) return;
    place.toggleAttribute("hidden", false);
    const camera = new Camera(video, FORMATS, (codes) => this.#handleCodes(codes));
    button.addEventListener("click", async () => {
      if (camera.isOn) camera.stop();
      else await camera.start();
      const word = button.querySelector("span");
      if (word) word.textContent = words(camera.isOn ? "stop" : "scan");
    });
  }

  /** @param {string[]} codes */
  #handleCodes(codes) {
    const code = codes.find(isBarcode);
    if (!code) return;
    const { code: before, at } = this.#last;
    this.#last = { code, at: performance.now() };
    if (code !== before || performance.now() - at > REPEAT_DELAY) this.take(code);
  }
}
