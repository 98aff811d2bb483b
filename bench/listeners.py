"""A thousand families that listen while some of them write: what the server does for it."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import quantiles
from time import monotonic

from bench.figures import Figure
from bench.household import Household
from bench.part import Part, Report
from bench.server import Server, serving
from bench.stream import Stream

CPU, ALONE, HEARD = "server CPU, of a core", "the writes alone", "until it is heard, p95"


@dataclass(frozen=True)
class Sizes:
    families: int = 1000
    writes_a_second: int = 20
    seconds: float = 10.0


def run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        asyncio.run(_run(report, server, sizes))


async def _run(report: Report, server: Server, sizes: Sizes) -> None:
    homes = [Household() for _ in range(sizes.families)]
    streams = [Stream(server.url, "/api/v1/events", home.authorization) for home in homes]
    await server.seed([record for home in homes for record in home.records()])
    report.step(ALONE)
    alone, _ = await _written(server, homes, (), sizes)
    async with AsyncExitStack() as stack:
        report.step(f"{sizes.families:,} families listen")
        for stream in streams:
            await stack.enter_async_context(stream)
        cpu, delays = await _written(server, homes, streams, sizes)
    report.measured(CPU, cpu)
    report.measured(ALONE, alone)
    report.measured(HEARD, quantiles(delays, n=20)[-1])


async def _written(
    server: Server, homes: Sequence[Household], streams: Sequence[Stream], sizes: Sizes
) -> tuple[float, list[float]]:
    """The share of a core while each write goes to another family, and how long each took."""
    delays: list[float] = []
    cpu, began = server.cpu_seconds(), monotonic()
    for number in range(int(sizes.writes_a_second * sizes.seconds)):
        await asyncio.sleep(began + number / sizes.writes_a_second - monotonic())
        which = 37 * number % len(homes)
        made = await asyncio.to_thread(_write, server, homes[which])
        answered = monotonic()
        if streams:
            delays.append(await streams[which].heard(made) - answered)
    return (server.cpu_seconds() - cpu) / (monotonic() - began), delays


def _write(server: Server, home: Household) -> str:
    """Something on the list; returns its id."""
    connection = server.connected(home)
    made = json.loads(connection.ask("POST", "/api/v1/shopping-list", b'{"name":"Milk"}'))
    connection.close()
    return str(made["shoppingItemId"])


PART = Part(
    about=(
        "1,000 families that listen, each with a stream of its own, while 20 changes a second are "
        "made in one after the other."
    ),
    figures=[Figure(CPU, "share", 0.15), Figure(ALONE, "share"), Figure(HEARD, "time", 0.5)],
    run=run,
    full=Sizes(),
    tiny=Sizes(3, 20, 0.2),
    seconds=90,
)
