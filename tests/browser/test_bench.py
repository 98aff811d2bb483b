"""The browser parts of `make bench` report every figure that they declare."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser

from bench import list as shopping
from bench import weights
from bench.figures import Measured
from bench.part import AnyPart, Event, Report
from bench.server import Server
from tests.browser.demo_household import DemoHousehold

Measure = Callable[[Report, DemoHousehold, Browser], Awaitable[None]]


async def _measure_list(report: Report, household: DemoHousehold, browser: Browser) -> None:
    await shopping.measure(report, shopping.PART.tiny, _as_server(household), browser)


async def _measure_weights(report: Report, household: DemoHousehold, browser: Browser) -> None:
    await weights.measure(report, weights.PART.tiny, household, browser)


@pytest.mark.parametrize(
    ("part", "measure"),
    [(shopping.PART, _measure_list), (weights.PART, _measure_weights)],
    ids=["list", "weights"],
)
async def test_browser_bench_reports_every_figure(
    part: AnyPart, measure: Measure, household: DemoHousehold, browser: Browser
) -> None:
    heard: list[Event] = []
    await measure(Report(part.figures, heard.append), household, browser)
    measured = {each.figure.what: each for each in heard if isinstance(each, Measured)}
    assert measured.keys() == {figure.what for figure in part.figures}
    assert all(each.value is not None and each.value >= 0 for each in measured.values())


def _as_server(household: DemoHousehold) -> Server:
    return Server(household.url, household.pid, Path(household.data / "homeshelf.db"))
