"""The start time, and the memory at rest and after load."""

import asyncio
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import processes, sample
from bench.figures import Figure
from bench.part import Part, Report
from bench.server import Connection, Server, serving
from tests.processes import served

SERVING = "from command to serving, warm"
IDLE, IDLE_TWO, LOADED = (
    "idle memory, one worker",
    "idle memory, two workers",
    "memory after a busy hour, one worker",
)
PAGES = ("/", "/list", "/stock", "/books", "/settings", "/wishes", "/notices", "/places", "/family")


@dataclass(frozen=True)
class Sizes:
    starts: int = 5
    settled_seconds: float = 2.0
    connections: int = 20
    rounds: int = 15
    things: int = 300
    two: int = 2
    """The number of processes that stands for two workers."""
    pages: tuple[str, ...] = PAGES


def run(report: Report, sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        report.step("starting")
        report.measured(SERVING, _median_start(folder, sizes.starts))
        for what, workers in ((IDLE, 1), (IDLE_TWO, sizes.two)):
            report.step(what)
            report.measured(what, _idle_megabytes(folder, workers, sizes.settled_seconds))
    report.step(LOADED)
    with serving() as server:
        _generate_load(server, sizes)
        time.sleep(sizes.settled_seconds)
        report.measured(LOADED, _megabytes(server.pid))


def _median_start(folder: Path, starts: int) -> float:
    with served(folder):
        pass  # the first start makes the database
    took = []
    for _ in range(starts):
        began = time.perf_counter()
        with served(folder):
            took.append(time.perf_counter() - began)
    return median(took)


def _idle_megabytes(folder: Path, workers: int, seconds: float) -> float:
    options = ("--workers", str(workers)) if workers > 1 else ()
    with served(folder, *options) as homeshelf:
        time.sleep(seconds)
        return _megabytes(homeshelf.process.pid)


def _megabytes(pid: int) -> float:
    """Return the memory as on an idle machine; pages shared with other programs count once."""
    return processes.memory_alone(pid) / 1e6


def _generate_load(server: Server, sizes: Sizes) -> None:
    """Use the server like a large family: every main page, lists and changes."""
    home = asyncio.run(server.create_household())
    items = sample.items(home.family_id, home.member_id, sizes.things)
    entries = sample.entries(home.family_id, home.member_id, sizes.things)
    asyncio.run(server.seed([*items, *entries]))

    def phone(number: int) -> None:
        connection: Connection = server.connect(home)
        for _ in range(sizes.rounds):
            for page in sizes.pages:
                connection.ask("GET", page)
            connection.ask("GET", "/api/v1/items?limit=100")
            connection.ask("GET", "/api/v1/shopping-list?limit=100")
            connection.ask("POST", "/api/v1/shopping-list", b'{"name":"Birthday cake"}')
            path = f"/api/v1/items/{items[number].item_id}/adjust"
            connection.ask("POST", path, b'{"delta":1}')
        connection.close()

    with ThreadPoolExecutor(sizes.connections) as phones:
        list(phones.map(phone, range(sizes.connections)))


PART = Part(
    about=(
        "From the command to the line that says where it serves, the median of five warm "
        "starts. Memory is that of all its processes; memory they share counts once, and none "
        "is divided with other programs. The busy hour is 20 phones at the same time, each "
        "going 15 times through nine pages, lists of 100, and changes."
    ),
    figures=[
        Figure(SERVING, "time", 1.5),
        Figure(IDLE, "MB", 85),
        Figure(IDLE_TWO, "MB"),
        Figure(LOADED, "MB"),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(1, 0.0, 2, 1, 100, 1, ("/notices",)),
    seconds=120,
)
