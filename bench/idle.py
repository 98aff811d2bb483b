"""The cost of an idle server: SQLite writes, DynamoDB units, and the cost of a listening family."""

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
    """The measured time, longer than the longest period of background work, a minute."""
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
        idle = await stack.enter_async_context(serving_remotely())
        listening = await stack.enter_async_context(serving_remotely())
        home = Household()
        for server in embedded:
            await server.seed(home.records())
            _make_changes(server.connect(home))
        for remote in (idle, listening):
            await remote.seed(home.records())
            _make_changes(remote.connect(home))
        await stack.enter_async_context(Stream(listening.url, "/api/v1/events", home.authorization))
        await asyncio.sleep(sizes.settled_seconds)
        report.step("idle")
        await _measure_idling(report, embedded, idle, listening, sizes.seconds)


def _make_changes(connection: Connection) -> None:
    """Change some records, so that all background work has started."""
    connection.ask("POST", "/api/v1/shopping-list", b'{"name":"Milk"}')
    connection.ask("POST", "/api/v1/items", b'{"name":"Rice","quantity":0,"threshold":1}')
    connection.close()


async def _measure_idling(
    report: Report, embedded: Sequence[Server], idle: Remote, listening: Remote, seconds: float
) -> None:
    cpu = embedded[0].cpu_seconds()
    before = idle.meter.units, listening.meter.units
    files, written, began = [_files(each.path) for each in embedded], [0, 0], monotonic()
    while (passed := monotonic() - began) < seconds:
        await asyncio.sleep(LOOK_SECONDS)
        now = [_files(each.path) for each in embedded]
        written = [seen + (a != b) for seen, a, b in zip(written, now, files, strict=True)]
        files = now
    report.measured(WRITES, written[0])
    report.measured(WRITES_TWO, written[1])
    report.measured(CPU, (embedded[0].cpu_seconds() - cpu) / passed)
    idle_units = idle.meter.units - before[0]
    more = listening.meter.units - before[1] - idle_units
    report.measured(IDLE_READS, idle_units.read / passed)
    report.measured(IDLE_WRITES, idle_units.write / passed)
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
