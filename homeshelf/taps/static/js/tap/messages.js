// The messages of the tag page, which does without `words.js`.

/** @param {string} key @param {Record<string, string | number>} [values] */
export function words(key, values = {}) {
  const text = document.getElementById("words")?.dataset[key] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/**
 * Return the label of the retry button.
 * @param {Pick<import("./taps.js").Tap, "delta" | "undo">[]} taps
 */
export function retryLabel(taps) {
  const sum = taps.reduce((total, { delta }) => total + delta, 0);
  if (taps.some(({ undo }) => undo) || !sum) return words(taps.length > 1 ? "tryAgain" : "undo");
  return words(sum < 0 ? "take" : "add", { count: Math.abs(sum) });
}
