"""Translated pages: caching, and layout on a small screen."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from homeshelf.languages import LANGUAGES
from tests.browser.accessibility import RULES_WITHOUT_CONTRAST, TEXT_RULES, load_axe, measure_faults
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.storage import cached_paths, wait_for_worker
from tests.browser.tour import TOUR, Stop
from tests.browser.visitor import Visitor, Visitors, expect

BROKEN = r"""() => [...document.querySelectorAll("main form button")].flatMap((button) => {
  const text = button.lastChild;
  return [...text.data.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word);
})"""
"""Script that finds words broken across lines."""
BACKWARDS = r"""(chart) => [...chart.querySelectorAll("text")].slice(1).map((text) => {
  const last = text.getNumberOfChars() - 1;
  return text.getStartPositionOfChar(0).x > text.getEndPositionOfChar(last).x;
})"""
"""Script that returns whether each date starts on the right."""
SEEN = [stop for stop in TOUR if stop.name != "design"]


async def page_language(visitor: Visitor) -> str:
    found: str = await visitor.page.evaluate("document.documentElement.lang")
    return found


async def test_cached_pages_are_dropped_when_the_language_changes(
    home: Home, visitors: Visitors
) -> None:
    phone = await home.phone(visitors, offline_worker=True)
    await phone.go("/list")
    await wait_for_worker(phone)
    await phone.go("/family")
    await phone.go("/list")
    assert {"/list", "/family"} <= await cached_paths(phone)
    await phone.go("/settings")
    await phone.pick("Language", "Svenska")
    await phone.page.locator("form[action='/settings/preferences'] button:not([form])").click()
    await expect(phone.page.locator("html")).to_have_attribute("lang", "sv")
    await phone.go("/list")
    assert await page_language(phone) == "sv"
    await phone.context.set_offline(True)
    for path in ("/list", "/family"):
        await phone.go(path)
        assert await page_language(phone) == "sv", path
    await phone.context.set_offline(False)
    visitors.complaints.clear()  # the browser reports requests that failed offline


@pytest.mark.parametrize("code", LANGUAGES)
async def test_tag_page_buttons_break_no_word(visitors: Visitors, code: str) -> None:
    (tap,) = (stop for stop in TOUR if stop.name == "tap")
    visitor = await visitors.arrive(tap.who, locale=code)
    await visitor.page.goto(tap.path(visitors.household))
    assert await page_language(visitor) == code
    assert await visitor.page.evaluate(BROKEN) == []


async def test_chart_date_is_right_to_left_in_arabic(visitors: Visitors) -> None:
    """The time axis runs to the right in every language; its labels follow the language."""
    for name in ("item", "book"):
        (stop,) = (each for each in TOUR if each.name == name)
        visitor = await visitors.arrive(stop.who, locale="ar")
        await visitor.page.goto(stop.path(visitors.household))
        days = await visitor.page.locator(".chart-dated").first.evaluate(BACKWARDS)
        assert days == [True, True], name


class PageVisitors:
    """Visitors who keep their browsers for all pages."""

    def __init__(self, visitors: Visitors, code: str) -> None:
        self.visitors, self.code = visitors, code
        self._found: dict[str | None, Visitor] = {}

    async def open_page(self, stop: Stop) -> Visitor:
        if stop.who not in self._found:
            self._found[stop.who] = await self.visitors.arrive(stop.who, locale=self.code)
            await load_axe(self._found[stop.who].page)
        visitor = self._found[stop.who]
        await visitor.page.goto(stop.path(self.visitors.household))
        return visitor


@pytest.fixture(scope="module", params=["de", "ar"])
async def page_visitors(
    request: pytest.FixtureRequest, browser: Browser, household: DemoHousehold
) -> AsyncIterator[PageVisitors]:
    visitors = Visitors(browser, household)
    yield PageVisitors(visitors, request.param)
    await visitors.leave()


@pytest.mark.parametrize("stop", SEEN, ids=str)
async def test_page_has_no_horizontal_scroll_clipping_or_overlap(
    page_visitors: PageVisitors, stop: Stop
) -> None:
    visitor = await page_visitors.open_page(stop)
    assert await page_language(visitor) == page_visitors.code
    is_rtl = LANGUAGES[page_visitors.code].is_rtl
    found = await measure_faults(visitor.page, RULES_WITHOUT_CONTRAST if is_rtl else TEXT_RULES)
    assert {name: those for name, those in found.items() if those} == {}
