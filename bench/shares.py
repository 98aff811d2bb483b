"""A list that 200 phones look at while one ticks, and what one that is not there costs."""

import asyncio
import http.client
import json
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from statistics import median, quantiles
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlsplit

from bench.report import Report
from bench.server import Connection, Server, serving
from homeshelf.shares.model import Shareable
from homeshelf.shares.pool import new_short_id

PHONES, TICKS_A_SECOND, SECONDS = 200, 2, 10
CPU_AT_MOST = 0.5
HEARD_AT_MOST_SECONDS = 1.0
ASKED = 1000
SAME = 1.0
"""A median is as long as the other one; a report calls a tenth more noise."""
LONG_AGO = "2020-01-01T00:00:00.000Z"


def run(report: Report) -> None:
    limits = {"HOMESHELF_LIMIT_SHARE_STREAMS": "1000", "HOMESHELF_LIMIT_UNKNOWN": "100000/s"}
    with serving(**limits) as server:
        report.section(f"{PHONES} phones on one list, {TICKS_A_SECOND} ticks a second")
        asyncio.run(_live(report, server))
        report.section(f"a list that was purged beside one that never was, {ASKED} of each")
        asyncio.run(_absent(report, server))


async def _live(report: Report, server: Server) -> None:
    made = _made(server.url)
    phones = [_Phone(server.url, made["shortId"]) for _ in range(PHONES)]
    async with AsyncExitStack() as stack:
        for phone in phones:
            await stack.enter_async_context(phone)
        cpu, delays = await _ticked(server, made, phones)
    report.bound("server CPU, of a core", 100 * cpu, "{:.1f}%", at_most=100 * CPU_AT_MOST)
    p95 = quantiles(delays, n=20)[-1]
    report.figure("until it is heard, p95", f"{p95:.3f} s")
    report.bound(
        "until the last has heard it", max(delays), "{:.3f} s", at_most=HEARD_AT_MOST_SECONDS
    )


async def _ticked(
    server: Server, made: dict[str, Any], phones: "Sequence[_Phone]"
) -> tuple[float, list[float]]:
    """The share of a core, and how long each tick took to each of the phones."""
    connection = Connection(server.url)
    item_id = made["items"][0]["checklistItemId"]
    path = f"/api/v1/shareables/{made['shortId']}/items/{item_id}"
    delays: list[float] = []
    cpu, began = server.cpu_seconds(), monotonic()
    for number in range(TICKS_A_SECOND * SECONDS):
        await asyncio.sleep(began + number / TICKS_A_SECOND - monotonic())
        asked = monotonic()
        body = b'{"checked":%s}' % (b"false" if number % 2 else b"true")
        await asyncio.to_thread(connection.ask, "PATCH", path, body)
        heard = await asyncio.gather(*(phone.heard(item_id) for phone in phones))
        delays += [at - asked for at in heard]
    connection.close()
    return (server.cpu_seconds() - cpu) / (monotonic() - began), delays


async def _absent(report: Report, server: Server) -> None:
    """Asked in turn, so that whatever else the machine does hits both."""
    ids = [new_short_id() for _ in range(ASKED)]
    purged = [
        Shareable(entity="checklist", short_id=each, name="Gone", expires_at=LONG_AGO)
        for each in ids
    ]
    await server.seed(purged)
    unknown = [new_short_id() for _ in range(ASKED)]
    asked = await asyncio.to_thread(_times, server.url, ids, unknown)
    ours, beside = (median(times) for times in asked)
    slower, faster = max(ours, beside), min(ours, beside)
    report.ratio("asking for one, the slower beside the other", slower, faster, at_most=SAME)


def _times(url: str, *groups: Sequence[str]) -> list[list[float]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    times: list[list[float]] = [[] for _ in groups]
    for asked in zip(*groups, strict=True):
        for spent, short_id in zip(times, asked, strict=True):
            began = perf_counter()
            connection.request("GET", f"/api/v1/shareables/{short_id}")
            answer = connection.getresponse()
            answer.read()
            spent.append(perf_counter() - began)
            assert answer.status == 404
    connection.close()
    return times


def _made(url: str) -> dict[str, Any]:
    connection = Connection(url)
    items = [{"name": f"Thing {number}"} for number in range(50)]
    body = json.dumps({"name": "Camping", "items": items}).encode()
    made: dict[str, Any] = json.loads(connection.ask("POST", "/api/v1/shareables", body))
    connection.close()
    return made


@dataclass(eq=False)
class _Phone:
    """Somebody who looks at a list; inside `async with` they hear what changes."""

    url: str
    short_id: str
    _reader: asyncio.StreamReader = field(init=False)
    _writer: asyncio.StreamWriter = field(init=False)

    async def heard(self, id_: str) -> float:
        """When the stream tells of it."""
        async with asyncio.timeout(10):
            await self._reader.readuntil(f'"id":"{id_}"'.encode())
        return monotonic()

    async def __aenter__(self) -> None:
        at = urlsplit(self.url)
        self._reader, self._writer = await asyncio.open_connection(at.hostname, at.port)
        path = f"/api/v1/shareables/{self.short_id}/events"
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        assert re.match(rb"HTTP/1.1 200", answer), answer

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
