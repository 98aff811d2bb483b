// Barcode rules, equal to the server's.
export const FORMATS = ["ean_13", "ean_8", "upc_a"];
const LENGTHS = [8, 12, 13];

/** @param {string} text with a check digit at its end */
export function isBarcode(text) {
  if (!LENGTHS.includes(text.length) || !/^[0-9]+$/.test(text)) return false;
  const sum = [...text].reverse().reduce((all, digit, i) => all + Number(digit) * (i % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}

/** Return the code as EAN-13: UPC-A lacks its leading 0. @param {string} code */
export function normalizeBarcode(code) {
  return code.length === 12 ? `0${code}` : code;
}
