"""A list that 200 phones look at while one ticks, and what one that is not there costs."""

import asyncio
import http.client
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import median, quantiles
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlsplit

from bench.figures import Figure
from bench.part import Part, Report
from bench.server import Server, serving
from bench.stream import Stream
from homeshelf.shares.model import Shareable
from homeshelf.shares.pool import new_short_id

CPU, HEARD, LAST = "server CPU, of a core", "until it is heard, p95", "until the last has heard it"
ABSENT = "one that was purged and one that never was, the slower beside the other"
LONG_AGO = "2020-01-01T00:00:00.000Z"
NO_LIMITS = {"HOMESHELF_LIMIT_SHARE_STREAMS": "1000", "HOMESHELF_LIMIT_UNKNOWN": "100000/s"}


@dataclass(frozen=True)
class Sizes:
    phones: int = 200
    ticks_a_second: int = 2
    seconds: int = 10
    asked: int = 1000


def run(report: Report, sizes: Sizes) -> None:
    with serving(**NO_LIMITS) as server:
        report.step(f"{sizes.phones} phones on one list")
        asyncio.run(_live(report, server, sizes))
        report.step("lists that are not there")
        asyncio.run(_absent(report, server, sizes.asked))


async def _live(report: Report, server: Server, sizes: Sizes) -> None:
    made = _made(server)
    path = f"/api/v1/shareables/{made['shortId']}/events"
    phones = [Stream(server.url, path) for _ in range(sizes.phones)]
    async with AsyncExitStack() as stack:
        for phone in phones:
            await stack.enter_async_context(phone)
        cpu, delays = await _ticked(server, made, phones, sizes)
    report.measured(CPU, cpu)
    report.measured(HEARD, quantiles(delays, n=20)[-1])
    report.measured(LAST, max(delays))


async def _ticked(
    server: Server, made: dict[str, Any], phones: Sequence[Stream], sizes: Sizes
) -> tuple[float, list[float]]:
    """The share of a core, and how long each tick took to each of the phones."""
    connection = server.connected()
    item_id = made["items"][0]["checklistItemId"]
    path = f"/api/v1/shareables/{made['shortId']}/items/{item_id}"
    delays: list[float] = []
    cpu, began = server.cpu_seconds(), monotonic()
    for number in range(sizes.ticks_a_second * sizes.seconds):
        await asyncio.sleep(began + number / sizes.ticks_a_second - monotonic())
        asked = monotonic()
        body = b'{"checked":%s}' % (b"false" if number % 2 else b"true")
        await asyncio.to_thread(connection.ask, "PATCH", path, body)
        heard = await asyncio.gather(*(phone.heard(item_id) for phone in phones))
        delays += [at - asked for at in heard]
    connection.close()
    return (server.cpu_seconds() - cpu) / (monotonic() - began), delays


async def _absent(report: Report, server: Server, asked: int) -> None:
    """Asked in turn, so that whatever else the machine does hits both."""
    ids = [new_short_id() for _ in range(asked)]
    purged = [
        Shareable(entity="checklist", short_id=each, name="Gone", expires_at=LONG_AGO)
        for each in ids
    ]
    await server.seed(purged)
    unknown = [new_short_id() for _ in range(asked)]
    took = await asyncio.to_thread(_times, server.url, ids, unknown)
    medians = [median(times) for times in took]
    report.measured(ABSENT, max(medians), min(medians))


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


def _made(server: Server) -> dict[str, Any]:
    connection = server.connected()
    items = [{"name": f"Thing {number}"} for number in range(50)]
    body = json.dumps({"name": "Camping", "items": items}).encode()
    made: dict[str, Any] = json.loads(connection.ask("POST", "/api/v1/shareables", body))
    connection.close()
    return made


PART = Part(
    about=(
        "200 phones look at one shared list while one of them ticks twice a second; and how long "
        "it takes to be told that a list is not there, which must not tell whether it ever was."
    ),
    figures=[
        Figure(CPU, "share", 0.5),
        Figure(HEARD, "time"),
        Figure(LAST, "time", 1.0),
        Figure(ABSENT, "time", 1.1, "ratio"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(2, 4, 1, 5),
    seconds=75,
)
