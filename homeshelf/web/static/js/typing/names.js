// Compare names as people do.

/** Letters that Unicode does not decompose. @type {Record<string, string>} */
const STROKES = {
  ...{ ø: "o", ł: "l", đ: "d", ð: "d", ħ: "h", ŧ: "t", ı: "i" },
  ...{ æ: "ae", œ: "oe", þ: "th", ß: "ss", ς: "σ" },
};
const JOINING = "\\u034f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}"; // used in emoji, so not removed
const ACCENTED = "\\p{Script=Inherited}\\p{Script=Hebrew}\\p{Script=Arabic}";
const ACCENTS = new RegExp(`(?=[${ACCENTED}])(?![${JOINING}])\\p{Mn}`, "gu");

/** Cache, because a list is often redrawn with the same names. @type {Map<string, string>} */
const known = new Map();
const MOST = 5000;

/** Remove case, accents and strokes. @param {string} name */
export function foldName(name) {
  const found = known.get(name) ?? stripMarks(name);
  if (known.size > MOST) known.clear();
  known.set(name, found);
  return found;
}

/** @param {string} name */
function stripMarks(name) {
  const bare = collapseSpaces(name).normalize("NFKD").toLowerCase().normalize("NFKD").replace(ACCENTS, "");
  return [...bare].map((letter) => STROKES[letter] ?? letter).join("");
}

/** The server's whitespace. JavaScript's `\s` also matches the byte order mark. */
const BLANKS = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;

/** Collapse whitespace. @param {string} text */
export function collapseSpaces(text) {
  return text.replace(BLANKS, " ").replace(/^ | $/gu, "");
}

const SEEN = /[^\p{Cc}\p{Cf}\p{Cs}\p{Me}\p{Mn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u;

/** Return whether a name has a visible character. @param {string} name */
export function isVisible(name) {
  return SEEN.test(name);
}

/** @param {string} name */
export function firstWord(name) {
  return foldName(name).split(" ")[0];
}
