// The picture of a thing, as the macro `picture` of the pages draws it.
const HUES = 6;
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3)/u;

/** @param {string} name @param {string} picture "" where nothing fits */
export function pictureOf(name, picture) {
  const place = document.createElement("span");
  place.setAttribute("aria-hidden", "true");
  showPicture(place, name, picture);
  return place;
}

/** @param {Element | null} place @param {string} name @param {string} picture */
export function showPicture(place, name, picture) {
  if (!place) return;
  const shown = picture || emojiOf(name);
  place.className = "picture";
  if (!shown) place.classList.add("picture-letter", `face-${checksum(name) % HUES}`);
  place.textContent = shown || letterOf(name);
}

/** The one that a name begins with, of however many signs it is made. @param {string} name */
function emojiOf(name) {
  const [first] = typeof Intl.Segmenter === "function" ? new Intl.Segmenter().segment(name.trim()) : [];
  return first && EMOJI.test(first.segment) ? first.segment : "";
}

/** @param {string} name */
function letterOf(name) {
  const signs = [...name.normalize("NFC")];
  const [letter = ""] = [signs.find((sign) => /[\p{L}\p{N}]/u.test(sign)) ?? signs[0]];
  return [...letter.toUpperCase()][0] ?? "";
}

/** CRC-32, so that a name has the same colour everywhere. @param {string} name */
function checksum(name) {
  let sum = -1;
  for (const byte of new TextEncoder().encode(name)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
