"""Time the shopping list in a real browser over a slow connection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

from playwright.async_api import Browser, expect

from bench.figures import Figure
from bench.part import Part, Report
from bench.server import Server, serving
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.list_page import entry_row, tick
from tests.browser.screens import chromium
from tests.browser.storage import open_phone, queue_addition
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line, line_to

Measure = Callable[[int], Awaitable[float]]
"""Returns the milliseconds of an action, given the number of the run."""
TAP, ENTER, OPEN, AMONG_MANY = (
    "from a tap to its result",
    "from Enter to the new row",
    "opening the list while the connection hangs",
    "a tick in a long list",
)


@dataclass(frozen=True)
class Sizes:
    few: int = 12
    many: int = 300
    latency_seconds: float = 2.0
    runs: int = 3
    """The number of runs; the best counts, because other load only slows a run."""


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
"""A script that measures from an event to the end of the first frame with its result."""
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
"""A script that measures from the start of a page to a frame with locally stored data."""


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        async with chromium(whole=True) as browser:
            await measure(report, sizes, server, browser)


async def measure(report: Report, sizes: Sizes, server: Server, browser: Browser) -> None:
    async with line_to(server.url) as line:
        async with _open_list(browser, server, line, "Ada", sizes.few) as phone:
            report.step(f"{sizes.few} entries")
            with _with_latency(line, sizes.latency_seconds):
                await _report_best(report, TAP, partial(_time_tick, phone), sizes.runs)
                await _report_best(report, ENTER, partial(_time_new_entry, phone), sizes.runs)
            line.becomes("hang")
            await queue_addition(phone, "Lemons")
            await phone.context.add_init_script(_OPENING)
            await _report_best(report, OPEN, partial(_time_opening, phone), sizes.runs)
            line.becomes("open")
        async with _open_list(browser, server, line, "Bea", sizes.many) as phone:
            report.step(f"{sizes.many} entries")
            with _with_latency(line, sizes.latency_seconds):
                await _report_best(report, AMONG_MANY, partial(_time_tick, phone), sizes.runs)


@asynccontextmanager
async def _open_list(
    browser: Browser, server: Server, line: Line, name: str, entries: int
) -> AsyncIterator[Visitor]:
    """Yield a visitor with this number of entries on the stored list."""
    household = DemoHousehold(server.url, server.pid, {}, server.path.parent, {})
    home = create_home(household, name)
    for number in range(entries):
        home.admin.ask("POST", "/shopping-list", {"name": _entry_name(number)})
    visitors = Visitors(browser, household)
    phone = await open_phone(home, visitors, line, "/list")
    await expect(phone.page.locator("li.entry")).to_have_count(entries)
    yield phone
    await visitors.leave()
    household.close()


@contextmanager
def _with_latency(line: Line, seconds: float) -> Iterator[None]:
    line.latency = seconds
    yield
    line.latency = 0


async def _report_best(report: Report, what: str, measure: Measure, runs: int) -> None:
    report.measured(what, min([await measure(number) for number in range(runs)]) / 1000)


async def _time_tick(phone: Visitor, number: int) -> float:
    name = _entry_name(number)
    await entry_row(phone, name).scroll_into_view_if_needed()
    await phone.page.evaluate(_WATCH, ["click", name, "purchased"])
    await tick(phone, name)
    return await _read_milliseconds(phone, "seen")


async def _time_new_entry(phone: Visitor, number: int) -> float:
    name = f"New {number}"
    await phone.write("What do you need?", name)
    await phone.page.evaluate(_WATCH, ["keydown", name, "pending"])
    await phone.page.keyboard.press("Enter")
    return await _read_milliseconds(phone, "seen")


async def _time_opening(phone: Visitor, _: int) -> float:
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    return await _read_milliseconds(phone, "opened")


async def _read_milliseconds(phone: Visitor, name: str) -> float:
    found: float = await phone.page.evaluate(f"window.{name}")
    return found


def _entry_name(number: int) -> str:
    return f"Thing {number}"


PART = Part(
    about=(
        "The shopping list in a real browser, over a connection with 2 seconds of latency or "
        "one that hangs: from a tap, or from Enter, to the end of the frame that shows the "
        "result, with 12 entries and with 300. The best of three."
    ),
    figures=[
        Figure(TAP, "time"),
        Figure(ENTER, "time"),
        Figure(OPEN, "time"),
        Figure(AMONG_MANY, "time"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(2, 3, 0.1, 1),
    seconds=120,
)
