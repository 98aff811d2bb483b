"""Accessibility checks of a page: contrast, target sizes, overflow and the rules of axe."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

CONTRAST_SCRIPT = r"""() => {
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
"""Script that returns each visible text's contrast, and the contrast that it needs."""

FAINT = f"""() => [...({CONTRAST_SCRIPT})()]
  .filter(([, {{ ratio, needed }}]) => ratio < needed)
  .map(([one, {{ ratio, needed }}]) =>
    `faint: ${{one.outerHTML.slice(0, 120)}} - ${{ratio.toFixed(2)}} of ${{needed}}`)"""

Rules = dict[str, Any]
"""Options of axe."""

_AXE = """(rules) => axe.run({ resultTypes: ["violations"], ...rules }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${id}: ${html.slice(0, 120)} - ${failureSummary}`)))"""


def _run_only(*rules: str) -> Rules:
    return {"runOnly": {"type": "rule", "values": rules}}


ALL_RULES: Rules = {}
"""All rules of axe, best practices included."""
SCROLLABLE = _run_only("scrollable-region-focusable")
"""The rule that depends on sizes."""
RULES_WITHOUT_CONTRAST: Rules = {"rules": {"color-contrast": {"enabled": False}}}
"""All rules but contrast, which `measure_faults` checks in half the time."""
TEXT_RULES = _run_only(
    "aria-command-name", "aria-input-field-name", "aria-meter-name", "aria-progressbar-name",
    "aria-toggle-field-name", "aria-tooltip-name", "button-name", "document-title",
    "empty-heading", "empty-table-header", "html-has-lang", "html-lang-valid", "image-alt",
    "image-redundant-alt", "input-button-name", "label", "label-title-only", "landmark-unique",
    "link-name", "select-name", "summary-name", "svg-img-alt", "valid-lang",
)  # fmt: skip
"""Rules that a translation can break."""

_LINKS = """() => {
  const isInline = (one) => getComputedStyle(one).display === "inline";
  const block = (one) => isInline(one) ? block(one.parentElement) : one;
  return [...document.querySelectorAll("a[href]")]
    .filter((one) => isInline(one) && one.textContent.trim() && one.checkVisibility())
    .filter((one) => block(one).textContent.trim() !== one.textContent.trim())
    .filter((one) => !getComputedStyle(one).textDecorationLine.includes("underline"))
    .map((one) => `only its colour says that it is a link: ${one.outerHTML.slice(0, 120)}`);
}"""
"""Script that finds links within text. Axe accepts underlined ones of any color."""

_TARGETS = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const inSentence = (one) => getComputedStyle(one).display === "inline"
    && one.parentElement.textContent.trim() !== one.textContent.trim();
  const pressed = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const found = [];
  for (const one of document.querySelectorAll(pressed)) {
    if (!shown(one) || one.type === "hidden" || one.matches(".skip") || inSentence(one)) continue;
    const { width, height } = (one.closest("label") ?? one).getBoundingClientRect();
    if (width < 44 || height < 44)
      found.push(`${one.outerHTML.slice(0, 90)}: ${Math.round(width)} x ${Math.round(height)}`);
  }
  return found;
}"""

_SIDEWAYS = """() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  const found = [...document.querySelectorAll("body *")]
    .filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return right > room + 1 || left < -1;
    })
    .map((one) => one.outerHTML.slice(0, 90));
  return found.length ? found : ["something"];
}"""

_CUT = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.childElementCount === 0 && one.textContent.trim())
  .filter((one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    const isSeen = one.clientWidth > 1; // what is only heard takes a pixel
    return isSeen && overflowX !== "visible" && textOverflow !== "ellipsis";
  })
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.outerHTML.slice(0, 90)}: ${one.scrollWidth} > ${one.clientWidth}`)"""
"""Script that finds truncated text."""

_HEAD = """() => ({
  title: document.title,
  language: document.documentElement.lang,
  headings: [...document.querySelectorAll("h1")].map((one) => one.textContent.trim()),
  inline: [...document.querySelectorAll("[style], style, script:not([src]), [onclick], [onload]")]
    .map((one) => one.outerHTML.slice(0, 90)),
  lifeless: [...document.querySelectorAll(":not(:defined)")].map((one) => one.localName),
})"""


_AT_ONCE = f"""async (rules) => ({{
  barriers: [...({FAINT})(), ...({_LINKS})(), ...(rules ? await ({_AXE})(rules) : [])],
  small: ({_TARGETS})(),
  overflowing: ({_SIDEWAYS})(),
  cut_off: ({_CUT})(),
}})"""


TEXT_SIZE = "(size) => { document.documentElement.style.fontSize = size; }"
"""Script that sets the size of the text of a page, as the setting of a phone does."""


async def load_axe(page: Page) -> None:
    """Load axe into every page of this tab. Loading it by each check would be slow."""
    await page.add_init_script(AXE_SCRIPT)


async def find_axe_violations(page: Page) -> list[str]:
    """Return the violations that axe finds."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found: list[str] = await page.evaluate(_AXE, ALL_RULES)
    return found


async def measure_faults(page: Page, rules: Rules | None = None) -> dict[str, list[str]]:
    """Return all faults of the page at once: contrast, targets, overflow, and axe's if `rules` are
    given."""
    found: dict[str, list[str]] = await page.evaluate(_AT_ONCE, rules)
    return found


async def find_small_targets(page: Page) -> list[str]:
    """Return targets smaller than 44 px, except links within a sentence."""
    found: list[str] = await page.evaluate(_TARGETS)
    return found


async def find_overflowing(page: Page, width: int) -> list[str]:
    """Return the elements that make the page scroll sideways at this width."""
    before = page.viewport_size
    assert before
    if before["width"] == width:
        found: list[str] = await page.evaluate(_SIDEWAYS)
        return found
    await page.set_viewport_size({"width": width, "height": before["height"]})
    found = await page.evaluate(_SIDEWAYS)
    await page.set_viewport_size(before)
    return found


async def read_head(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(_HEAD)
    return found
