"""The log's lines of requests: each is written, some at a time, soon after its answer."""

import asyncio
import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog

from homeshelf import clock, logs
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.web import request_lines
from homeshelf.web.request_lines import RequestLines
from tests.moment import Moment
from tests.running import running_app


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    before = structlog.get_config()
    logs.configure("info", stream)
    yield stream
    structlog.configure(**before)


ROUTE = "/items/{itemId}"


def lines_in(logged: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logged.getvalue().splitlines()]


async def test_a_line_says_what_was_asked_and_how_long_it_took(
    logged: io.StringIO, moment: Moment
) -> None:
    lines = RequestLines(None)
    lines.note("GET", ROUTE, 200, 0.0123456, lambda: {"request_id": "an id"})
    at = clock.timestamp()
    moment.pass_by(60)
    lines.write()
    assert lines_in(logged) == [
        {
            "method": "GET",
            "route": ROUTE,
            "status": 200,
            "ms": 12.35,
            "event": "request",
            "request_id": "an id",
            "level": "info",
            "at": at,
        }
    ]
    lines.note("GET", ROUTE, 200, 10, dict)
    lines.write()
    assert lines_in(logged)[-1]["ms"] == 10_000


async def test_what_was_noted_is_written_by_itself_some_at_a_time(
    logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_lines, "AFTER_SECONDS", 0)
    seen: list[int] = []
    lines = RequestLines(lambda *_: None)
    for number in range(250):
        lines.note("GET", ROUTE, 200, 0, partial(dict, number=number))
    async with asyncio.timeout(5):
        while len(lines_in(logged)) < 250:
            await asyncio.sleep(0)
            seen.append(len(lines_in(logged)))
    assert sorted(set(seen)) == [0, 100, 200, 250]
    assert [line["number"] for line in lines_in(logged)] == [*range(250)]


async def test_each_is_counted_among_the_metrics_at_once() -> None:
    observed: list[tuple[str, str, int, float]] = []
    lines = RequestLines(lambda *of: observed.append(of))
    lines.note("POST", ROUTE, 303, 0.5, dict)
    assert observed == [("POST", ROUTE, 303, 0.5)]
    lines.write()
    assert len(observed) == 1


async def test_what_was_noted_last_is_written_before_it_ends(
    logged: io.StringIO, tmp_path: Path
) -> None:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with running_app(database) as running:
        answer = await running.visitor().client.get("/healthz")
        assert not lines_in(logged)
    (line,) = lines_in(logged)
    assert (line["route"], line["request_id"]) == ("/healthz", answer.headers["x-request-id"])
    await database.close()
