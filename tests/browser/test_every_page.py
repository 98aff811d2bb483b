"""Every page is accessible on phone and desktop, in light and dark."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from homeshelf.app import create_app
from tests.browser.accessibility import (
    RULES_WITHOUT_CONTRAST,
    SCROLLABLE,
    TEXT_SIZE,
    find_overflowing,
    load_axe,
    measure_faults,
    read_head,
)
from tests.browser.demo_household import DemoHousehold
from tests.browser.screens import (
    DARK_DESKTOP,
    DARK_PHONE,
    DESKTOP,
    PHONE,
    TABLET,
    Screen,
)
from tests.browser.tour import TOUR, Stop
from tests.browser.visitor import Visitor, Visitors
from tests.routes import every_route
from tests.running import SETTINGS

NARROWEST = 320
UPRIGHT = TABLET.viewport["width"]
NO_PAGES = (
    "/api/",
    "/static/",
    "/manifest.webmanifest",
    "/sw.js",
    "/healthz",
    "/readyz",
    "/metrics",
    "/list/now",  # data for the script
    "/wishes/unseen",  # a count for the script
    "/s/{shortId}/items/{checklistItemId}/row",  # a fragment for the script
)

BY_AXE = {PHONE: RULES_WITHOUT_CONTRAST, DARK_DESKTOP: SCROLLABLE}
"""The rules that axe checks on each screen. It checks each layout in one theme; in the other, only
colors differ, which `measure_faults` checks faster.
"""


@dataclass(frozen=True)
class PageMeasurements:
    """The measurements of an opened page."""

    stop: Stop
    status: int
    url: str
    policy: str
    complaints: list[str]
    head: dict[str, Any]
    barriers: dict[Screen, list[str]] = field(default_factory=dict)
    small: dict[Screen, list[str]] = field(default_factory=dict)
    overflowing: dict[int, list[str]] = field(default_factory=dict)
    overflowing_when_large: list[str] = field(default_factory=list)

    async def measure(self, page: Page, screen: Screen) -> None:
        found = await measure_faults(page, BY_AXE.get(screen))
        self.barriers[screen], self.small[screen] = found["barriers"], found["small"]
        wide = self.overflowing.setdefault(screen.viewport["width"], [])
        wide += found["overflowing"]


class PageVisitors:
    """Visitors who keep their browsers for all pages."""

    def __init__(self, visitors: Visitors) -> None:
        self._visitors = visitors
        self._found: dict[str | None, Visitor] = {}

    async def measure_page(self, stop: Stop) -> PageMeasurements:
        """Load the page once and measure it on each screen."""
        page = await self._page(stop.who)
        self._visitors.complaints.clear()
        answer = await page.goto(stop.path(self._visitors.household))
        assert answer
        policy = answer.headers["content-security-policy"]
        complaints = list(self._visitors.complaints)
        sight = PageMeasurements(
            stop, answer.status, page.url, policy, complaints, await read_head(page)
        )
        await sight.measure(page, PHONE)
        await page.evaluate(TEXT_SIZE, "200%")
        sight.overflowing_when_large.extend(await find_overflowing(page, PHONE.viewport["width"]))
        await page.evaluate(TEXT_SIZE, "")
        for width in (NARROWEST, UPRIGHT):
            await page.set_viewport_size(PHONE.viewport | {"width": width})
            sight.overflowing[width] = await find_overflowing(page, width)
        await page.set_viewport_size(DESKTOP.viewport)
        await sight.measure(page, DESKTOP)
        await page.emulate_media(color_scheme="dark")
        await sight.measure(page, DARK_DESKTOP)
        await page.set_viewport_size(PHONE.viewport)
        await sight.measure(page, DARK_PHONE)
        await page.emulate_media(color_scheme="light")
        return sight

    async def _page(self, who: str | None) -> Page:
        if who not in self._found:
            self._found[who] = await self._visitors.arrive(who)
            await load_axe(self._found[who].page)
        return self._found[who].page


@pytest.fixture(scope="module")
async def page_visitors(browser: Browser, household: DemoHousehold) -> AsyncIterator[PageVisitors]:
    visitors = Visitors(browser, household)
    yield PageVisitors(visitors)
    await visitors.leave()


def test_tour_covers_every_page() -> None:
    routes = {route.path for route in every_route(create_app(SETTINGS)) if route.method == "GET"}
    pages = {path for path in routes if not path.startswith(NO_PAGES)}
    assert pages - {stop.route for stop in TOUR} == set()


@pytest.mark.parametrize("stop", TOUR, ids=str)
async def test_page_is_accessible_on_every_screen(
    page_visitors: PageVisitors, household: DemoHousehold, stop: Stop
) -> None:
    sight = await page_visitors.measure_page(stop)
    assert (sight.status, sight.url) == (stop.status, f"{household.url}{stop.path(household)}")
    assert {name: found for name, found in _faults(sight).items() if found} == {}


def _faults(sight: PageMeasurements) -> dict[str, object]:
    """Return the faults of a page by topic."""
    assert [*sight.barriers] == [*sight.small] == [PHONE, DESKTOP, DARK_DESKTOP, DARK_PHONE]
    assert sorted(sight.overflowing) == [NARROWEST, 360, UPRIGHT, 1280]
    return {
        "complaints of the browser": sight.complaints,
        "head": _faults_of_head(sight.head),
        "policy": _faults_of_policy(sight),
        "elements without a script": set(sight.head["lifeless"]) - {"live-badge"},
        **{f"barriers on {screen}": found for screen, found in sight.barriers.items()},
        **{f"small targets on {screen}": found for screen, found in sight.small.items()},
        "sideways with large text": sight.overflowing_when_large,
        **{f"sideways at {width}": found for width, found in sight.overflowing.items()},
    }


def _faults_of_head(head: dict[str, Any]) -> list[str]:
    named = head["title"].removesuffix("· Homeshelf") not in ("", "Homeshelf")
    is_right = named and head["language"] == "en" and len(head["headings"]) == 1
    return [] if is_right else [head["title"], head["language"], *head["headings"]]


def _faults_of_policy(sight: PageMeasurements) -> list[str]:
    """Return inline styles and scripts, and faults of the content security policy."""
    inline = [each[:7] for each in sight.head["inline"]]
    if inline != (["<style>"] if sight.stop.name == "tap" else []):
        return inline or ["no style"]
    is_strict = "default-src 'none'; script-src 'self'; style-src 'self';" in _policy_without_hash(
        sight
    )
    return [] if is_strict and "unsafe" not in sight.policy else [sight.policy]


def _policy_without_hash(sight: PageMeasurements) -> str:
    """Replace the hash of the inline style sheet of the tag page in its policy."""
    if sight.stop.name != "tap":
        return sight.policy
    return re.sub("style-src 'sha256-[^ ;]+'", "style-src 'self'", sight.policy)
