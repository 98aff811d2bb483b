"""How well the words of a page stand out from what is behind them, measured in milliseconds.

axe finds the same and takes twenty times as long. It looks at each layout in one theme; the other
one has other colours at the same places, and these are measured here. `test_contrast.py` compares
both, for every piece of text that axe has an opinion of.
"""

JUDGED = r"""() => {
  const remembered = (work) => {
    const known = new Map();
    return (one) => known.get(one) ?? known.set(one, work(one)).get(one);
  };

  // A colour is red, green and blue, each times its share of what is seen, and that share.
  const times = (colour, share) => colour.map((part) => part * share);
  const over = (colour, under) => colour.map((part, at) => part + under[at] * (1 - colour[3]));
  const paint = new OffscreenCanvas(1, 1).getContext("2d");
  const read = remembered((css) => {
    paint.fillStyle = "#000";
    paint.fillStyle = `color(from ${css} srgb r g b / alpha)`;
    const [, parts] = paint.fillStyle.split("color(srgb");
    if (!parts) throw new Error(`This is no colour: ${css}`);
    const [red, green, blue, share = 1] = parts.match(/[-\d.e]+/g).map(Number);
    const shown = [red, green, blue].map((part) =>
      Math.round(Math.min(Math.max(part, 0), 1) * 255) / 255);
    return [...times(shown, share), share];
  });
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const looks = remembered((one) => {
    const { color, backgroundColor, opacity, fontSize, fontWeight } = getComputedStyle(one);
    const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 56 / 3 : 24);
    return {
      words: read(color),
      ground: read(backgroundColor),
      opacity: Number(opacity),
      needed: isLarge ? 3 : 4.5,
    };
  });

  const around = (one) => one ? [one, ...around(one.parentElement)] : [];
  /** What is painted where it is, from itself on down; outside of the window, what it is in. */
  const stack = (one, { left, top, width, height }) => {
    const found = document.elementsFromPoint(left + width / 2, top + height / 2);
    return found.includes(one) ? found.slice(found.indexOf(one)) : around(one);
  };
  const ratio = (one, place) => {
    let { words } = looks(one);
    let ground = [0, 0, 0, 0];
    let group = one; // what is in it fades together
    const leave = () => {
      [words, ground] = [words, ground].map((colour) => times(colour, looks(group).opacity));
      group = group.parentElement;
    };
    for (const under of stack(one, place)) {
      while (!group.contains(under)) leave();
      let layer = looks(under).ground;
      for (let up = under; up !== group; up = up.parentElement)
        layer = times(layer, looks(up).opacity);
      [words, ground] = [words, ground].map((colour) => over(colour, layer));
    }
    while (group) leave();
    const [dark, light] = [words, ground].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };

  const wordless = ["hidden", "range", "color", "checkbox", "radio", "image"];
  const isField = (one) => one.matches("input, select, textarea") && !wordless.includes(one.type);
  const textIn = (one) => [...one.childNodes].find(
    (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const isSign = (one) => !isField(one) && one.textContent.trim().length === 1;
  const isOff = (one) => one.matches(":disabled, :disabled *")
    || one.closest("[aria-disabled=true], [inert]") !== null;
  const controls = (one) => around(one).flatMap((each) => [
    ...(each.control ? [each.control] : []),
    ...(each.id ? document.querySelectorAll(`[aria-labelledby~="${CSS.escape(each.id)}"]`) : []),
  ]);
  const placeOf = (one) => {
    if (isField(one)) return one.getClientRects()[0];
    const range = document.createRange();
    range.selectNodeContents(textIn(one));
    return range.getClientRects()[0];
  };

  const judged = new Map();
  for (const one of document.body.querySelectorAll(":not(option, script, style, noscript)")) {
    if (!isField(one) && !textIn(one)) continue;
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const place = placeOf(one);
    if (!place || isOff(one)) continue;
    const { needed } = looks(one);
    const found = ratio(one, place);
    // Nor does axe mind one sign, or the name of what cannot be used.
    if (found < needed && (isSign(one) || controls(one).some(isOff))) continue;
    judged.set(one, { ratio: found, needed });
  }
  return judged;
}"""
"""Each element with words in it that somebody sees and could use: how much they stand out, and how
much they have to."""

FAINT = f"""() => [...({JUDGED})()]
  .filter(([, {{ ratio, needed }}]) => ratio < needed)
  .map(([one, {{ ratio, needed }}]) =>
    `faint: ${{one.outerHTML.slice(0, 120)}} - ${{ratio.toFixed(2)}} of ${{needed}}`)"""
