// Which digits are a barcode; the server has the same rules.
export const FORMATS = ["ean_13", "ean_8", "upc_a"];
const LENGTHS = [8, 12, 13];

/** @param {string} text whose last digit proves the others */
export function isBarcode(text) {
  if (!LENGTHS.includes(text.length) || !/^[0-9]+$/.test(text)) return false;
  const sum = [...text].reverse().reduce((all, digit, i) => all + Number(digit) * (i % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}

/** As it is compared: UPC-A is EAN-13 without its leading 0. @param {string} code */
export function normalizeBarcode(code) {
  return code.length === 12 ? `0${code}` : code;
}
