"""The contrast check agrees with axe."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page

import homeshelf
from tests.browser.accessibility import CONTRAST_SCRIPT, FAINT, load_axe
from tests.browser.screens import SCREENS, Theme
from tests.browser.tour import TOUR
from tests.browser.visitor import Visitors

COMPARED = f"""async () => {{
  const judged = ({CONTRAST_SCRIPT})();
  const {{ passes, violations }} = await axe.run({{
    elementRef: true, runOnly: {{ type: "rule", values: ["color-contrast"] }},
  }});
  const nodes = [...passes, ...violations].flatMap(({{ nodes }}) => nodes);
  const known = nodes.filter(({{ any }}) => any[0].data.contrastRatio);
  return {{
    compared: known.length,
    otherwise: known.flatMap(({{ element, html, any: [{{ data }}] }}) => {{
      const {{ ratio, needed }} = judged.get(element) ?? {{}};
      const isSame = Math.abs(ratio / data.contrastRatio - 1) < 0.02
        && data.expectedContrastRatio === `${{needed}}:1`;
      return isSame ? [] : [[html, data.contrastRatio, ratio ?? null]];
    }}),
    axe: violations.flatMap(({{ nodes }}) => nodes).map(({{ element }}) => element.id).sort(),
  }};
}}"""
"""Script that compares both checks, without emoji and invisible text, for which axe has no ratio.
"""
THEMES: tuple[Theme, ...] = ("light", "dark")
SNIPPETS = """
<style>
  body { background: #fff; color: #222; font: 16px sans-serif }
  .on { position: relative; height: 2em } .on > * { position: absolute; inset: 0 }
  .pile { display: grid } .pile > * { grid-area: 1 / 1 }
</style>
<p id="good">Words</p>
<p id="bad-plain" style="color: #888">Words</p>
<p id="bad-oklch" style="color: oklch(0.7 0.1 150)">Words</p>
<p id="bad-mixed" style="color: color-mix(in oklab, #222 40%, white)">Words</p>
<p id="bad-half-transparent" style="color: rgb(0 0 0 / 0.4)">Words</p>
<p id="good-half-transparent" style="color: rgb(0 0 0 / 0.7)">Words</p>
<div style="opacity: 0.4"><p id="bad-faded">Words</p></div>
<div style="opacity: 0.7"><div style="opacity: 0.7"><p id="bad-faded-twice">Words</p></div></div>
<div style="opacity: 0.5"><p id="bad-faded-ground" style="background: #000; color: #fff">W s</p></div>
<div style="opacity: 0.9"><p id="good-faded">Words</p></div>
<div style="background: #333"><div><p id="bad-ground-of-an-ancestor">Words</p></div></div>
<div style="background: #333; color: #eee"><div><p id="good-ground-of-an-ancestor">Words</p></div></div>
<div style="background: #000"><p id="bad-veil" style="background: rgb(255 255 255 / 0.3)">Words</p></div>
<div style="background: #000"><p id="good-veil" style="background: rgb(255 255 255 / 0.9)">Words</p></div>
<div class="on"><b style="background: #111"></b><span id="bad-placed">Words</span></div>
<div class="on"><b style="background: #111"></b><span id="good-placed" style="color: #eee">Words</span></div>
<div class="on"><b style="background: #111; opacity: 0.1"></b><span id="good-placed-on-little">Words</span></div>
<div class="pile"><b style="background: #111"></b><span id="bad-piled">Words</span></div>
<p id="good-large" style="color: #888; font-size: 24px">Words</p>
<p id="good-large-bold" style="color: #888; font-size: 19px; font-weight: 700">Words</p>
<p id="bad-large" style="color: #aaa; font-size: 24px">Words</p>
<p id="bad-not-quite-large" style="color: #888; font-size: 23px">Words</p>
<p id="bad-not-quite-bold" style="color: #888; font-size: 19px; font-weight: 600">Words</p>
<input id="bad-field" aria-label="Field" style="color: #999" value="Words">
<input id="good-field" aria-label="Field" placeholder="Words">
<textarea id="bad-area" aria-label="Field" style="color: #999">Words</textarea>
<select id="bad-select" aria-label="Field" style="color: #999"><option>Words</option></select>
<button id="bad-button" style="color: #999; background: #fff">Words</button>
<button id="exempt-button" disabled style="color: #999; background: #fff">Words</button>
<button id="exempt-aria" aria-disabled="true" style="color: #999; background: #fff">Words</button>
<fieldset disabled><button id="exempt-set" style="color: #999; background: #fff">Words</button></fieldset>
<label id="exempt-label" for="off" style="color: #999">Words</label><input id="off" disabled>
<label style="color: #999"><span id="exempt-within">Words</span> <input disabled></label>
<span id="exempt-naming" style="color: #999">Words</span><input aria-labelledby="exempt-naming" disabled>
<p id="exempt-sign" style="color: #999">0</p>
<label id="bad-label" for="field" style="color: #999">Words</label><input id="field">
<p id="hidden-gone" style="display: none; color: #999">Words</p>
<p id="hidden-kept" style="visibility: hidden; color: #999">Words</p>
<p id="hidden-faded" style="opacity: 0; color: #999">Words</p>
"""  # noqa: E501


@pytest.fixture
async def snippets(visitors: Visitors) -> Page:
    page = (await visitors.arrive(new=True)).page
    await load_axe(page)
    await page.goto("about:blank")
    await page.set_content(SNIPPETS)
    return page


def test_theme_changes_only_colors() -> None:
    """`light-dark()` accepts only colors, so checking layouts in one theme is enough."""
    sheets = [*Path(homeshelf.__file__).parent.rglob("*.css")]
    told = [
        line.strip()
        for sheet in sheets
        for line in sheet.read_text().splitlines()
        if re.search("prefers-color-scheme|data-theme", line)
    ]
    assert told == [f'&[data-theme="{theme}"] {{ color-scheme: {theme}; }}' for theme in THEMES]
    assert len(sheets) > 20


async def test_contrast_check_agrees_with_axe_on_faint_text(snippets: Page) -> None:
    found = await snippets.evaluate(COMPARED)
    assert found["otherwise"] == []
    ids = await snippets.evaluate(
        "() => [...document.querySelectorAll('[id^=bad]')].map(x => x.id)"
    )
    assert found["axe"] == sorted(ids)
    faint = await snippets.evaluate(FAINT)
    assert len(faint) == len(ids)
    assert all(f'id="{id_}"' in "".join(faint) for id_ in ids)


async def count_equal_texts(visitors: Visitors, names: set[str]) -> int:
    """Compare each text of these pages on every screen and return how many were compared."""
    compared, pages = 0, {}
    for stop in TOUR:
        if stop.name not in names:
            continue
        if stop.who not in pages:
            pages[stop.who] = (await visitors.arrive(stop.who, new=True)).page
            await load_axe(pages[stop.who])
        page = pages[stop.who]
        await page.goto(stop.path(visitors.household))
        for screen in SCREENS:
            await screen.show(page)
            found = await page.evaluate(COMPARED)
            assert found["otherwise"] == [], (stop.name, str(screen))
            compared += found["compared"]
    return compared


async def test_contrast_ratio_agrees_with_axe(visitors: Visitors) -> None:
    assert await count_equal_texts(visitors, {"book"}) > 50


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_contrast_ratio_agrees_with_axe_on_every_page(visitors: Visitors) -> None:
    assert await count_equal_texts(visitors, {stop.name for stop in TOUR}) > 5_000


async def test_pending_count_has_enough_contrast(visitors: Visitors) -> None:
    """Uses two digits, because axe ignores single characters."""
    (tap,) = (stop for stop in TOUR if stop.name == "tap")
    page = (await visitors.arrive(tap.who)).page
    await page.goto(tap.path(visitors.household))
    for theme in THEMES:
        await page.emulate_media(color_scheme=theme)
        for is_gone in (False, True):
            await page.evaluate(_WAITS, is_gone)
            assert await page.evaluate(FAINT) == [], (theme, is_gone)


_WAITS = """(isGone) => {
  const count = document.querySelector(".tap-count");
  count.textContent = "12";
  count.toggleAttribute("data-waiting", true);
  count.toggleAttribute("data-gone", isGone);
}"""
