// Names as people compare them.

/** Letters that are no others with something added, as Unicode sees it. @type {Record<string, string>} */
const STROKES = {
  ...{ ø: "o", ł: "l", đ: "d", ð: "d", ħ: "h", ŧ: "t", ı: "i" },
  ...{ æ: "ae", œ: "oe", þ: "th", ß: "ss", ς: "σ" },
};
const ACCENTS = /(?=[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}])\p{Mn}/gu;

/** A list is drawn again and again, with the same names. @type {Map<string, string>} */
const known = new Map();
const MOST = 5000;

/** Without case, accents and strokes. @param {string} name */
export function plain(name) {
  const found = known.get(name) ?? bared(name);
  if (known.size > MOST) known.clear();
  known.set(name, found);
  return found;
}

/** @param {string} name */
function bared(name) {
  const bare = spaced(name).normalize("NFKD").toLowerCase().normalize("NFKD").replace(ACCENTS, "");
  return [...bare].map((letter) => STROKES[letter] ?? letter).join("");
}

/** With one blank between words. @param {string} text */
export function spaced(text) {
  return text.trim().replace(/\s+/gu, " ");
}

/** @param {string} name */
export function firstWord(name) {
  return plain(name).split(" ")[0];
}
