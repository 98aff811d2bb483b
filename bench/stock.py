"""The stock of a full house in a real browser: how long until it is open, and one is found."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from playwright.async_api import Browser

from bench.figures import Figure
from bench.part import Part, Report
from bench.server import Server, serving
from tests.browser.full_house import fill
from tests.browser.home import found_home
from tests.browser.lindqvists import Lindqvists
from tests.browser.screens import chromium
from tests.browser.visitor import Visitor, Visitors, expect

OPEN_AT_MOST_SECONDS = 0.300
ANSWERED, OPEN, WHOLE, FOUND = (
    "the server's answer",
    "until the stock is open",
    "until it is open with every row on it",
    "until the last one is found",
)


@dataclass(frozen=True)
class Sizes:
    things: int = 1000
    runs: int = 5
    """Of which the best counts: a machine that does other things too only makes it slower."""


_ANSWERED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  return page.responseEnd - page.requestStart;
}"""
_OPENED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return Math.max(paint.startTime, page.domContentLoadedEventEnd);
}"""
"""Until it is painted, and every script of it has begun."""
_FOUND = """(name) => {
  const begun = performance.now();
  const look = (done) => {
    const row = document.querySelector(`#found [data-name="${name}"]:not([hidden])`);
    if (row) done(performance.now() - begun);
    else requestAnimationFrame(() => look(done));
  };
  const field = document.getElementById("q");
  field.value = name;
  field.dispatchEvent(new Event("input"));
  return new Promise(look);
}"""
"""From a letter until something is there that was not on the page."""


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        async with chromium() as browser:
            await measure(report, sizes, server, browser)


async def measure(report: Report, sizes: Sizes, server: Server, browser: Browser) -> None:
    household = Lindqvists(server.url, server.pid, {}, server.path.parent, {})
    home = found_home(household, "Cleo")
    names = fill(home, sizes.things)
    visitors = Visitors(browser, household)
    phone = await home.phone(visitors)
    for what, look in (
        (ANSWERED, partial(_opened, phone, _ANSWERED)),
        (OPEN, partial(_opened, phone, _OPENED)),
        (WHOLE, partial(_opened, phone, _OPENED, f"?rows={sizes.things}")),
        (FOUND, partial(_sought, phone, names[-1])),
    ):
        report.step(what)
        report.measured(what, await _best(look, sizes.runs) / 1000)
    await visitors.leave()
    household.close()


async def _best(look: Callable[[], Awaitable[float]], runs: int) -> float:
    return min([await look() for _ in range(runs)])


async def _opened(phone: Visitor, measured: str, query: str = "") -> float:
    await phone.go(f"/stock{query}")
    await expect(phone.page.locator("#stock [data-name]").first).to_be_visible()
    found: float = await phone.page.evaluate(measured)
    return found


async def _sought(phone: Visitor, name: str) -> float:
    await phone.go("/stock")
    found: float = await phone.page.evaluate(_FOUND, name)
    return found


PART = Part(
    about=(
        "The stock of a house with 1,000 things in a real browser, the best of five: until it is "
        "painted and every script has begun, and from a letter in the search until a thing is "
        "there that was not on the page."
    ),
    figures=[
        Figure(ANSWERED, "time", OPEN_AT_MOST_SECONDS),
        Figure(OPEN, "time", OPEN_AT_MOST_SECONDS),
        Figure(WHOLE, "time"),
        Figure(FOUND, "time"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(120, 1),
    seconds=90,
)
