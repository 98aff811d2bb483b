// A grey picture for the server: one byte for each pixel, and small enough for a phone's connection.
const MAX_PIXELS = 200_000;
const MAX_SIDE = 2000;

/**
 * @param {CanvasImageSource} picture
 * @param {{ x: number, y: number, width: number, height: number }} part of the picture
 */
export function toGrey(picture, part) {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (part.width * part.height)), MAX_SIDE / part.width);
  const [width, height] = [part.width, part.height].map((side) => Math.max(1, Math.floor(side * scale)));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(picture, part.x, part.y, part.width, part.height, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at++) {
    const [red, green, blue] = [data[4 * at], data[4 * at + 1], data[4 * at + 2]];
    pixels[at] = 0.3 * red + 0.6 * green + 0.1 * blue;
  }
  return { width, height, pixels };
}
