"""The compressed size of a page and all its files on a phone's first visit."""

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Error, Request

from bench.charts import Rows
from bench.figures import Figure
from bench.part import Part, Report
from tests.browser.demo_household import DemoHousehold, serve_demo_household
from tests.browser.screens import PHONE, chromium
from tests.browser.tour import TOUR, Stop

NAMED = {
    "Home": "home",
    "the list": "list",
    "the stock": "stock",
    "an item": "item",
    "wishes, a child's": "ask",
    "a shared list": "share",
    "a tag's page": "tap",
    "books": "books",
    "the start page for an anonymous visitor": "welcome",
}
"""The names of the figures, by the names of pages on the tour."""
HEAVIEST = "the largest page"
LIST_AT_MOST_KB = 70.0
IN_HOUSE = ("design",)
"""Pages that only developers see."""


@dataclass(frozen=True)
class Sizes:
    stops: tuple[Stop, ...] = TOUR


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory() as folder, serve_demo_household(Path(folder)) as household:
        async with chromium() as browser:
            await measure(report, sizes, household, browser)


async def measure(report: Report, sizes: Sizes, household: DemoHousehold, browser: Browser) -> None:
    weights: dict[str, float] = {}
    for who in dict.fromkeys(stop.who for stop in sizes.stops):
        context = await PHONE.open_context(browser, household.url)
        if who is not None:
            await household.people[who].sign_in_to(context)
        for stop in sizes.stops:
            if stop.who == who and stop.name not in IN_HOUSE:
                report.step(stop.name)
                weights[stop.name] = await _weight(context, stop.path(household))
        await context.close()
    for what, name in NAMED.items():
        report.measured(what, weights[name])
    report.measured(HEAVIEST, max(weights.values()))
    report.chart(_chart(weights))


async def _weight(context: BrowserContext, path: str) -> float:
    """Return the size in kB with an empty cache; a file that is loaded twice counts once."""
    page = await context.new_page()
    network = await context.new_cdp_session(page)
    await network.send("Network.clearBrowserCache")
    loaded: list[Request] = []

    def finished(request: Request) -> None:
        loaded.append(request)

    page.on("requestfinished", finished)
    await page.goto(path, wait_until="load")
    sizes: dict[str, int] = {}
    for request in loaded:
        try:
            sizes.setdefault(request.url, (await request.sizes())["responseBodySize"])
        except Error:  # a stream that is still open has none
            continue
    await page.close()
    return sum(sizes.values()) / 1000


def _chart(weights: Mapping[str, float]) -> Rows:
    heaviest_first = sorted(weights.items(), key=lambda row: -row[1])
    rows = [(name, kb, LIST_AT_MOST_KB, f"{kb:.1f} kB") for name, kb in heaviest_first]
    return Rows("pages", "What a phone loads for each page on a first visit", rows)


PART = Part(
    about=(
        "Every page on a first visit by phone: the page and all its files, compressed as they "
        "are sent, in a real browser. The chart shows all of them."
    ),
    figures=[
        *(
            Figure(what, "kB", LIST_AT_MOST_KB if name == "list" else None)
            for what, name in NAMED.items()
        ),
        Figure(HEAVIEST, "kB"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(tuple(stop for stop in TOUR if stop.name in NAMED.values())),
    seconds=180,
)
