"""What can be measured about a page: whether everybody can read, reach and press what is on it."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

_AXE = """(rules) => axe.run({
  resultTypes: ["violations"],
  ...(rules && { runOnly: { type: "rule", values: rules } }),
}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    `${id}: ${html.slice(0, 120)} - ${failureSummary}`)))"""

OF_THE_SCREEN = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
"""The rules that depend on colours and sizes; the others are about what a page is made of."""
OF_THE_WORDS = [
    "aria-command-name", "aria-input-field-name", "aria-meter-name", "aria-progressbar-name",
    "aria-toggle-field-name", "aria-tooltip-name", "button-name", "document-title",
    "empty-heading", "empty-table-header", "html-has-lang", "html-lang-valid", "image-alt",
    "image-redundant-alt", "input-button-name", "label", "label-title-only", "landmark-unique",
    "link-name", "select-name", "summary-name", "svg-img-alt", "valid-lang",
]  # fmt: skip
"""The rules that another language can break."""

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

_HEAD = """() => ({
  title: document.title,
  language: document.documentElement.lang,
  headings: [...document.querySelectorAll("h1")].map((one) => one.textContent.trim()),
  inline: [...document.querySelectorAll("[style], style, script:not([src]), [onclick], [onload]")]
    .map((one) => one.outerHTML.slice(0, 90)),
  lifeless: [...document.querySelectorAll(":not(:defined)")].map((one) => one.localName),
})"""


_AT_ONCE = f"""async (rules) => ({{
  barriers: await ({_AXE})(rules),
  small: ({_TARGETS})(),
  sticking_out: ({_SIDEWAYS})(),
}})"""


async def bring_axe(page: Page) -> None:
    """For all that this page loads from now on: it is large, and on its way for long each time."""
    await page.add_init_script(AXE_SCRIPT)


async def barriers(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds, by all its rules and best practices unless some are named."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found: list[str] = await page.evaluate(_AXE, rules)
    return found


async def measured(page: Page, rules: list[str] | None = None) -> dict[str, list[str]]:
    """What the functions around this one find, in one go, where axe was brought to the page."""
    found: dict[str, list[str]] = await page.evaluate(_AT_ONCE, rules)
    return found


async def small_targets(page: Page) -> list[str]:
    """What can be pressed and is smaller than 44 px, but for links within a sentence."""
    found: list[str] = await page.evaluate(_TARGETS)
    return found


async def cut_off(page: Page) -> list[str]:
    """Words that end where there is no more room for them."""
    found: list[str] = await page.evaluate(_CUT)
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
