"""What a request costs the real server over a real connection, beside the same server answering a
constant over the same connection; and next to it what it costs without server and socket."""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from bench import operations, sample
from bench.caller import Caller
from bench.figures import Figure, ratios
from bench.operations import PAGE, Ask
from bench.part import Part, Report
from bench.rounds import WARM_UP, Work, in_turn, one_by_one
from bench.server import Server, serving
from homeshelf.config.values import Rate
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database, Record
from homeshelf.table.sqlite.engine import Sqlite
from tests.home import new_home
from tests.running import running_app

AT_MOST_SECONDS = 0.001
AT_MOST_CONSTANTS = 3.0
NAMES = (
    f"list {PAGE} entries",
    f"list {PAGE} items",
    "tick an entry",
    "adjust an item",
    "add free text",
    "add an item to the list",
)


@dataclass(frozen=True)
class Sizes:
    times: int = 10
    rounds: int = 40


def run(report: Report, sizes: Sizes) -> None:
    report.step("over a connection")
    with serving() as server:
        over_a_connection = asyncio.run(_served(server, sizes))
    report.step("without server and socket")
    in_process = asyncio.run(_called(sizes))
    for what, (ours, beside) in over_a_connection.items():
        report.measured(what, ours, beside)
        report.measured(_beside(what), ours, beside)
    for what, seconds in in_process.items():
        report.measured(_bare(what), seconds, over_a_connection[what][0])


def _beside(what: str) -> str:
    return f"{what}, beside the constant"


def _bare(what: str) -> str:
    return f"{what}, without server and socket"


async def _served(server: Server, sizes: Sizes) -> dict[str, tuple[float, float]]:
    home = await server.household()
    given = _Given.to(home.family_id, home.member_id, sizes)
    await server.seed(given.records)
    connection = server.connected(home)
    constant = operations.opens(connection.asking, "/healthz")
    took = {}
    for what, work in given.operations(connection.asking):
        took[what] = await in_turn(
            work, constant, times=sizes.times, rounds=sizes.rounds, timer=server.cpu_seconds
        )
    connection.close()
    return took


async def _called(sizes: Sizes) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        async with running_app(database, limit_writes=Rate(10**9, 60)) as services:
            home = await new_home(services, "Lovelace", "ada")
            given = _Given.to(home.family_id, home.admin.member_id, sizes)
            await database.batch([record.put() for record in given.records])
            caller = Caller(services.app, home.admin.client.headers["authorization"])
            took = {}
            for what, work in given.operations(caller.ask):
                took[what] = await one_by_one(
                    work, times=sizes.times, rounds=sizes.rounds, timer=process_time
                )
        await database.close()
    return took


@dataclass(frozen=True)
class _Given:
    """What the household has before it is measured."""

    items: list[InventoryItem]
    extra: list[InventoryItem]
    entries: list[ShoppingListItem]

    @classmethod
    def to(cls, family_id: str, member_id: str, sizes: Sizes) -> "_Given":
        return cls(
            sample.items(family_id, member_id, PAGE),
            sample.items(family_id, member_id, sizes.times * (sizes.rounds + WARM_UP)),
            sample.entries(family_id, member_id, PAGE),
        )

    @property
    def records(self) -> list[Record]:
        return [*self.items, *self.extra, *self.entries, *sample.stores(self.extra)]

    def operations(self, ask: Ask) -> Iterator[tuple[str, Work]]:
        works = (
            operations.lists_entries(ask),
            operations.lists_items(ask),
            operations.ticks(ask, self.entries[0]),
            operations.adjusts(ask, self.items[0]),
            operations.adds_text(ask),
            operations.adds_item(ask, self.extra),
        )
        yield from zip(NAMES, works, strict=True)


PART = Part(
    about=(
        "The CPU that a request costs the server's process, all its threads, in the program and in "
        "the system, with the token checked, the line logged and the change durable; beside it the "
        "same server answering `/healthz` over the same connection, in turns. Below, the same "
        "application called in the process that asks, beside all of it."
    ),
    figures=[
        *(Figure(what, "time", AT_MOST_SECONDS) for what in NAMES),
        *ratios([_beside(what) for what in NAMES], AT_MOST_CONSTANTS),
        *(Figure(_bare(what), "time") for what in NAMES),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(1, 1),
    seconds=90,
)
