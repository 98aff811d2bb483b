"""The log line of each request."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from homeshelf import logs
from homeshelf.table import Database
from homeshelf.web import health, middleware
from tests.running import running_app


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    before = structlog.get_config()
    logs.configure("info", stream)
    # A logger keeps the stream that it used first.
    monkeypatch.setattr(middleware, "log", structlog.get_logger())
    yield stream
    structlog.configure(**before)


def lines_in(logged: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logged.getvalue().splitlines()]


async def test_each_request_is_logged_and_counted_after_its_response(
    database: Database, logged: io.StringIO
) -> None:
    async with running_app(database, metrics="anyone") as running:
        client = running.visitor().client
        answer = await client.head("/healthz")
        (line,) = lines_in(logged)
        assert line.pop("ms") >= 0
        assert line.pop("at").endswith("Z")
        assert line == {
            "event": "request",
            "level": "info",
            "method": "HEAD",
            "route": "/healthz",
            "status": 200,
            "request_id": answer.headers["x-request-id"],
        }
        assert b'method="HEAD",route="/healthz"' in health.render_metrics()


async def test_log_line_has_the_route_instead_of_the_path(
    database: Database, logged: io.StringIO
) -> None:
    async with running_app(database) as running:
        client = running.visitor().client
        for path in ("/join/secret", "/t/secret", "/api/v1/secret", "/healthz"):
            await client.get(path)
    lines = lines_in(logged)
    assert [line["route"] for line in lines] == [
        "/join/{token}",
        "/t/{urlId}",
        "unknown",
        "/healthz",
    ]
    assert ["tag" in line for line in lines] == [False, True, False, False]
    assert "secret" not in logged.getvalue()
