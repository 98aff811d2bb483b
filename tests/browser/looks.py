"""What can be measured about a page: whether everybody can read, reach and press what is on it."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

from tests.browser.contrast import FAINT

Rules = dict[str, Any]
"""Of axe, as its options name them."""

_AXE = """(rules) => axe.run({ resultTypes: ["violations"], ...rules }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${id}: ${html.slice(0, 120)} - ${failureSummary}`)))"""


def _only(*rules: str) -> Rules:
    return {"runOnly": {"type": "rule", "values": rules}}


ALL: Rules = {}
"""With its best practices."""
OF_THE_SCREEN = _only("color-contrast", "link-in-text-block", "scrollable-region-focusable")
"""Those that depend on colours and sizes; the others are about what a page is made of."""
ALL_BUT_COLOURS: Rules = {"rules": {"color-contrast": {"enabled": False}}}
"""That rule takes more than half of the time of all, and `measured` has its own look at colours: a
language mirrors a page, and has the colours that axe looks at in English."""
OF_THE_WORDS = _only(
    "aria-command-name", "aria-input-field-name", "aria-meter-name", "aria-progressbar-name",
    "aria-toggle-field-name", "aria-tooltip-name", "button-name", "document-title",
    "empty-heading", "empty-table-header", "html-has-lang", "html-lang-valid", "image-alt",
    "image-redundant-alt", "input-button-name", "label", "label-title-only", "landmark-unique",
    "link-name", "select-name", "summary-name", "svg-img-alt", "valid-lang",
)  # fmt: skip
"""Those that another language can break."""

_LINKS = """() => {
  const isInline = (one) => getComputedStyle(one).display === "inline";
  const block = (one) => isInline(one) ? block(one.parentElement) : one;
  return [...document.querySelectorAll("a[href]")]
    .filter((one) => isInline(one) && one.textContent.trim() && one.checkVisibility())
    .filter((one) => block(one).textContent.trim() !== one.textContent.trim())
    .filter((one) => !getComputedStyle(one).textDecorationLine.includes("underline"))
    .map((one) => `only its colour says that it is a link: ${one.outerHTML.slice(0, 120)}`);
}"""
"""Links among other words. Those that are underlined axe never minds, whatever their colour."""

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
"""Words that end where there is no more room for them."""

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
  sticking_out: ({_SIDEWAYS})(),
  cut_off: ({_CUT})(),
}})"""


async def bring_axe(page: Page) -> None:
    """For all that this page loads from now on: it is large, and on its way for long each time."""
    await page.add_init_script(AXE_SCRIPT)


async def barriers(page: Page) -> list[str]:
    """What axe finds."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found: list[str] = await page.evaluate(_AXE, ALL)
    return found


async def measured(page: Page, rules: Rules | None = None) -> dict[str, list[str]]:
    """What the functions around this one find, in one go, and words that are too faint.

    With rules, by these too, where axe was brought to the page.
    """
    found: dict[str, list[str]] = await page.evaluate(_AT_ONCE, rules)
    return found


async def small_targets(page: Page) -> list[str]:
    """What can be pressed and is smaller than 44 px, but for links within a sentence."""
    found: list[str] = await page.evaluate(_TARGETS)
    return found


async def sticking_out(page: Page, width: int) -> list[str]:
    """What makes the page scroll sideways at this width."""
    before = page.viewport_size
    assert before
    if before["width"] == width:
        found: list[str] = await page.evaluate(_SIDEWAYS)
        return found
    await page.set_viewport_size({"width": width, "height": before["height"]})
    found = await page.evaluate(_SIDEWAYS)
    await page.set_viewport_size(before)
    return found


async def head(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(_HEAD)
    return found
