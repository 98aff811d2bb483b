"""The stock of a full house in a real browser: how long until it is open, and one is found."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from bench.report import Report
from bench.server import Server, serving
from tests.browser.full_house import fill
from tests.browser.home import found_home
from tests.browser.lindqvists import Lindqvists
from tests.browser.screens import chromium
from tests.browser.visitor import Visitor, Visitors, expect

THINGS = 1000
RUNS = 5
"""Of which the best counts: a machine that does other things too only makes it slower."""
OPEN_AT_MOST_MS = 300.0

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


def run(report: Report) -> None:
    with serving() as server:
        asyncio.run(_run(report, server))


async def _run(report: Report, server: Server) -> None:
    household = Lindqvists(server.url, server.pid, {}, server.path.parent, {})
    home = found_home(household, "Ada")
    names = fill(home, THINGS)
    async with chromium() as browser:
        visitors = Visitors(browser, household)
        phone = await home.phone(visitors)
        report.section(f"{THINGS} things")
        await _bound(report, "the server's answer", partial(_opened, phone, _ANSWERED))
        await _bound(report, "until the stock is open", partial(_opened, phone, _OPENED))
        took = await _best(partial(_opened, phone, _OPENED, f"?rows={THINGS}"))
        report.figure("the same with every row on it", f"{took:.0f} ms")
        took = await _best(partial(_sought, phone, names[-1]))
        report.figure("until the last one is found", f"{took:.0f} ms")
        await visitors.leave()
    household.close()


async def _bound(report: Report, what: str, measure: Callable[[], Awaitable[float]]) -> None:
    report.bound(what, await _best(measure), "{:.0f} ms", at_most=OPEN_AT_MOST_MS)


async def _best(measure: Callable[[], Awaitable[float]]) -> float:
    return min([await measure() for _ in range(RUNS)])


async def _opened(phone: Visitor, measured: str, query: str = "") -> float:
    await phone.go(f"/stock{query}")
    await expect(phone.page.locator("#stock [data-name]").first).to_be_visible()
    found: float = await phone.page.evaluate(measured)
    return found


async def _sought(phone: Visitor, name: str) -> float:
    await phone.go("/stock")
    found: float = await phone.page.evaluate(_FOUND, name)
    return found
