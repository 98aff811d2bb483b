// The barcode scanner of stocktaking: a code counts again only after it has left the picture for a moment.
import { Camera } from "../scanning/camera.js";
import { isBarcode } from "../scanning/barcodes.js";

const REPEAT_DELAY = 1500;

export class TakeScanner {
  #last = { code: "", at: -Infinity };

  /** @param {HTMLElement} page @param {(code: string) => void} take */
  constructor(page, take) {
    this.take = take;
    const place = page.querySelector(".take-scan");
    if (Camera.in(place, (codes) => this.#handleCodes(codes))) place?.toggleAttribute("hidden", false);
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
