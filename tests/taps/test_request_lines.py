"""The log's lines of tap pages: each is written, some at a time, soon after its answer."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from homeshelf import clock, logs
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps import request_lines
from homeshelf.taps.request_lines import RequestLines
from tests.coordination.working import until
from tests.moment import Moment
from tests.taps.ways import Ways, ways


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    before = structlog.get_config()
    logs.configure("info", stream)
    yield stream
    structlog.configure(**before)


EACH = 8
"""Both ways are asked twice, each time for another page to close the connection with."""


def lines_in(logged: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logged.getvalue().splitlines()]


async def test_a_line_says_what_was_asked_and_how_long_it_took(
    logged: io.StringIO, moment: Moment
) -> None:
    lines = RequestLines(None)
    lines.note("GET", "a-tag", 200, 0.0123456)
    at = clock.timestamp()
    moment.pass_by(60)
    lines.write()
    (line,) = lines_in(logged)
    assert (line["method"], line["route"], line["status"]) == ("GET", "/t/{urlId}", 200)
    assert (line["ms"], line["at"]) == (12.35, at)
    lines.note("GET", "a-tag", 200, 10)
    lines.write()
    assert lines_in(logged)[-1]["ms"] == 10_000


async def test_what_was_noted_is_written_by_itself_some_at_a_time(
    logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_lines, "AFTER_SECONDS", 0)
    seen: list[int] = []
    lines = RequestLines(lambda *_: None)
    for number in range(250):
        lines.note("GET", f"tag-{number}", 200, 0)
    async with asyncio.timeout(5):
        while len(lines_in(logged)) < 250:
            await asyncio.sleep(0)
            seen.append(len(lines_in(logged)))
    assert sorted(set(seen)) == [0, 100, 200, 250]
    assert len({line["tag"] for line in lines_in(logged)}) == 250


async def test_each_is_counted_among_the_metrics() -> None:
    observed: list[tuple[str, str, int, float]] = []
    lines = RequestLines(lambda *of: observed.append(of))
    lines.note("POST", "a-tag", 303, 0.5)
    lines.write()
    lines.write()
    assert observed == [("POST", "/t/{urlId}", 303, 0.5)]


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Ways]:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with ways(database) as both:
        yield both
    await database.close()


async def test_a_page_has_a_line_by_whichever_way_it_comes(
    logged: io.StringIO, both: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_lines, "AFTER_SECONDS", 0)
    await both.same(both.get())
    assert both.watched.answered == 1, "by the short way, as one of two when they were prepared"
    await until(lambda: sum(line.get("route") == "/t/{urlId}" for line in lines_in(logged)) == EACH)
