"""The cost of idling: writes of SQLite, units of DynamoDB, and a family that only listens."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bench.figures import Figure
from bench.household import Household
from bench.part import Part, Report
from bench.remote import Remote, serving_remotely
from bench.server import Connection, Server, serving
from bench.stream import Stream

WRITES, WRITES_TWO, CPU = (
    "writes of the embedded engine",
    "writes of the embedded engine, two workers",
    "CPU, of a core",
)
IDLE_READS, IDLE_WRITES, HEARD_READS, HEARD_WRITES = (
    "DynamoDB, idle: read units a second",
    "DynamoDB, idle: write units a second",
    "DynamoDB, a family that listens: read units a second",
    "DynamoDB, a family that listens: write units a second",
)
LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Sizes:
    seconds: float = 65.0
    """Longer than the longest period of anything that is done again and again, which is that of
    deleting what has expired: a minute."""
    settled_seconds: float = 3.0
    two: int = 2
    """The number of processes that stands for two workers."""


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    async with AsyncExitStack() as stack:
        report.step("after some work")
        workers = ("--workers", str(sizes.two)) if sizes.two > 1 else ()
        embedded = [stack.enter_context(serving(*options)) for options in ((), workers)]
        alone = await stack.enter_async_context(serving_remotely())
        heard = await stack.enter_async_context(serving_remotely())
        home = Household()
        for server in embedded:
            await server.seed(home.records())
            _work(server.connected(home))
        for remote in (alone, heard):
            await remote.seed(home.records())
            _work(remote.connected(home))
        await stack.enter_async_context(Stream(heard.url, "/api/v1/events", home.authorization))
        await asyncio.sleep(sizes.settled_seconds)
        report.step("nobody comes")
        await _watch(report, embedded, alone, heard, sizes.seconds)


def _work(connection: Connection) -> None:
    """Change something, so that all background work has started."""
    connection.ask("POST", "/api/v1/shopping-list", b'{"name":"Milk"}')
    connection.ask("POST", "/api/v1/items", b'{"name":"Rice","quantity":0,"threshold":1}')
    connection.close()


async def _watch(
    report: Report, embedded: Sequence[Server], alone: Remote, heard: Remote, seconds: float
) -> None:
    cpu, idle, listened = embedded[0].cpu_seconds(), alone.meter.units, heard.meter.units
    files, written, began = [_files(each.path) for each in embedded], [0, 0], monotonic()
    while (passed := monotonic() - began) < seconds:
        await asyncio.sleep(LOOK_SECONDS)
        now = [_files(each.path) for each in embedded]
        written = [seen + (a != b) for seen, a, b in zip(written, now, files, strict=True)]
        files = now
    report.measured(WRITES, written[0])
    report.measured(WRITES_TWO, written[1])
    report.measured(CPU, (embedded[0].cpu_seconds() - cpu) / passed)
    idle, listened = alone.meter.units - idle, heard.meter.units - listened
    more = listened - idle
    report.measured(IDLE_READS, idle.read / passed)
    report.measured(IDLE_WRITES, idle.write / passed)
    report.measured(HEARD_READS, max(0.0, more.read / passed))
    report.measured(HEARD_WRITES, max(0.0, more.write / passed))


def _files(path: Path) -> list[tuple[str, int, int]]:
    """Return the state of the database files, which changes with every write."""
    found = [(each.name, each.stat()) for each in sorted(path.parent.glob(f"{path.name}*"))]
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in found]


PART = Part(
    about=(
        "65 seconds without requests, after some work. That is longer than the longest period "
        "of background work (deleting expired records, every minute), so ten minutes give the "
        "same result. Writes are counted by checking the files ten times a second; units are "
        "those that dynoxide reports. A listening family has one open event stream, and its "
        "cost is what the server spends in addition."
    ),
    figures=[
        Figure(WRITES, "count"),
        Figure(WRITES_TWO, "count"),
        Figure(CPU, "share"),
        Figure(IDLE_READS, "units"),
        Figure(IDLE_WRITES, "units"),
        Figure(HEARD_READS, "units"),
        Figure(HEARD_WRITES, "units"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(0.3, 0.1, 1),
    seconds=120,
)
