"""A request has a deadline for all its database queries together."""

import time
from collections.abc import AsyncIterator

import pytest

from homeshelf.table import Database
from homeshelf.web import middleware
from tests.databases import UsedTables
from tests.home import Home, new_home
from tests.network import Line, line_to
from tests.running import problem_of, running_app
from tests.servers import Server
from tests.table.faulty_engines import LONG, opened

LATENCY, TOGETHER = 0.2, 0.5
"""Three queries in a row take longer than the deadline."""


@pytest.fixture
async def line(dynoxide: Server) -> AsyncIterator[Line]:
    async with line_to(dynoxide.endpoint) as line:
        yield line


@pytest.fixture
async def home(dynoxide: Server, tables_of_dynoxide: UsedTables, line: Line) -> AsyncIterator[Home]:
    async with tables_of_dynoxide.taken() as prefix:
        database = Database(opened(dynoxide, line.url, prefix, LONG, timeout=LONG))
        async with running_app(database) as running:
            yield await new_home(running, "Lovelace", "ada")
        await database.close()


async def test_request_with_many_slow_queries_times_out(
    home: Home, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "REQUEST_SECONDS", TOGETHER)
    item = (await home.admin.post("/items", {"name": "Milk"}, key="first")).json()
    line.latency = LATENCY
    began = time.monotonic()
    refused = await home.admin.post(f"/items/{item['itemId']}/adjust", {"delta": 1}, key="k")
    assert problem_of(refused) == (503, "unavailable")
    assert time.monotonic() - began < 2 * TOGETHER
    line.latency = 0
    done = await home.admin.post(f"/items/{item['itemId']}/adjust", {"delta": 1}, key="k")
    assert done.json()["item"]["quantity"] == 1


async def test_request_with_a_slow_body_does_not_time_out(
    home: Home, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "REQUEST_SECONDS", 0.0)
    body = {"items": [{"name": f"Thing {n}", "notes": "é" * 450} for n in range(100)]}
    line.latency = 0
    assert (await home.admin.post("/items/batch", body)).status_code == 201
    assert problem_of(await home.admin.post("/items", {"name": "Milk"})) == (503, "unavailable")
