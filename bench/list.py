"""The list in a real browser on a bad line: how long until a person sees what they did."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

from playwright.async_api import Browser, expect

from bench.report import Report
from bench.server import Server, serving
from tests.browser.home import found_home
from tests.browser.lindqvists import Lindqvists
from tests.browser.listed import row, tick
from tests.browser.screens import chromium
from tests.browser.visitor import Visitor, Visitors
from tests.browser.waiting import adds, phone_of
from tests.line import Line, line_to

Measure = Callable[[int], Awaitable[float]]
"""Milliseconds that something took, given how often it was done before."""
FEW, MANY = 12, 300
LATENCY_SECONDS = 2.0
RUNS = 3
"""Of which the best counts: a machine that does other things too only makes it slower."""
SEEN_AT_MOST_MS = 50.0
OPEN_AT_MOST_MS = 500.0

_WATCH = """([kind, name, status]) => {
  window.seen = new Promise((done) => document.addEventListener(kind, ({ timeStamp }) => {
    const look = () => {
      const row = document.querySelector(`li[data-name="${name}"][data-status="${status}"]`);
      const { top = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
      if (top <= 0 || bottom > innerHeight) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - timeStamp);
      port2.postMessage("after this frame");
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true }));
}"""
"""From an event to the end of the first frame that shows what came of it."""
_OPENING = """
  window.opened = new Promise((done) => {
    const look = () => {
      if (!document.querySelector("li[data-name='Lemons']")) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage("after this frame");
    };
    requestAnimationFrame(look);
  });
"""
"""From where a page begins to a frame with something that only the phone knows."""


def run(report: Report) -> None:
    with serving() as server:
        asyncio.run(_run(report, server))


async def _run(report: Report, server: Server) -> None:
    async with chromium(whole=True) as browser, line_to(server.url) as line:
        async with _phone(browser, server, line, "Ada", FEW) as phone:
            report.section(f"{FEW} entries, {LATENCY_SECONDS:g} s of latency")
            with _slow(line):
                await _seen(report, "from a tap to what it does", partial(_ticked, phone))
                await _seen(report, "from Enter to the new row", partial(_added, phone))
            report.section(f"{FEW} entries, a line that hangs")
            line.becomes("hang")
            await adds(phone, "Lemons")
            await phone.context.add_init_script(_OPENING)
            took = await _best(partial(_opened, phone))
            report.bound("until the list is open", took, "{:.0f} ms", at_most=OPEN_AT_MOST_MS)
            line.becomes("open")
        async with _phone(browser, server, line, "Bea", MANY) as phone:
            report.section(f"{MANY} entries, {LATENCY_SECONDS:g} s of latency")
            with _slow(line):
                await _seen(report, "a tick among many", partial(_ticked, phone))


@asynccontextmanager
async def _phone(
    browser: Browser, server: Server, line: Line, name: str, entries: int
) -> AsyncIterator[Visitor]:
    """With so many entries on the list that it keeps."""
    household = Lindqvists(server.url, server.pid, {}, server.path.parent, {})
    home = found_home(household, name)
    for number in range(entries):
        home.admin.ask("POST", "/shopping-list", {"name": _name(number)})
    visitors = Visitors(browser, household)
    phone = await phone_of(home, visitors, line, "/list")
    await expect(phone.page.locator("li.entry")).to_have_count(entries)
    yield phone
    await visitors.leave()
    household.close()


@contextmanager
def _slow(line: Line) -> Iterator[None]:
    line.latency = LATENCY_SECONDS
    yield
    line.latency = 0


async def _seen(report: Report, what: str, measure: Measure) -> None:
    report.bound(what, await _best(measure), "{:.0f} ms", at_most=SEEN_AT_MOST_MS)


async def _best(measure: Measure) -> float:
    return min([await measure(number) for number in range(RUNS)])


async def _ticked(phone: Visitor, number: int) -> float:
    name = _name(number)
    await row(phone, name).scroll_into_view_if_needed()
    await phone.page.evaluate(_WATCH, ["click", name, "purchased"])
    await tick(phone, name)
    return await _milliseconds(phone, "seen")


async def _added(phone: Visitor, number: int) -> float:
    name = f"New {number}"
    await phone.write("What do you need?", name)
    await phone.page.evaluate(_WATCH, ["keydown", name, "pending"])
    await phone.page.keyboard.press("Enter")
    return await _milliseconds(phone, "seen")


async def _opened(phone: Visitor, _: int) -> float:
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    return await _milliseconds(phone, "opened")


async def _milliseconds(phone: Visitor, name: str) -> float:
    found: float = await phone.page.evaluate(f"window.{name}")
    return found


def _name(number: int) -> str:
    return f"Thing {number}"
