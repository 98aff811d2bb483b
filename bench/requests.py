"""What a request costs the real server over a real connection, beside the same server answering a
constant over the same connection; and next to it what it costs without server and socket.

CPU is that of all threads of the server's process, in the program and in the system, with the token
checked and the line logged.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from bench import operations, sample
from bench.caller import Caller
from bench.operations import PAGE, Ask
from bench.report import Report
from bench.rounds import WARM_UP, Work, in_turn, one_by_one
from bench.server import Connection, Server, serving
from homeshelf.config.values import Rate
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database, Record
from homeshelf.table.sqlite.engine import Sqlite
from tests.home import new_home
from tests.running import running_app

TIMES, ROUNDS = 10, 40
AT_MOST_SECONDS = 0.001
AT_MOST_CONSTANTS = 3.0
ADDED = TIMES * (ROUNDS + WARM_UP)


def run(report: Report) -> None:
    with serving() as server:
        over_a_connection = asyncio.run(_served(server))
    in_process = asyncio.run(_called())
    report.section("server CPU a request, beside a constant answer")
    for what, (ours, beside) in over_a_connection.items():
        report.cost(what, ours, beside, at_most=AT_MOST_SECONDS)
        report.ratio(f"{what}, beside the constant", ours, beside, at_most=AT_MOST_CONSTANTS)
    report.section("the same without server and socket, beside all of it")
    for what, seconds in in_process.items():
        report.times(what, seconds, over_a_connection[what][0])


async def _served(server: Server) -> dict[str, tuple[float, float]]:
    home = server.household()
    given = _Given.to(home.family_id, home.member_id)
    await server.seed(given.records)
    connection = home.connected()
    constant = operations.opens(asking(connection), "/healthz")
    took = {}
    for what, work in given.operations(asking(connection)):
        took[what] = await in_turn(
            work, constant, times=TIMES, rounds=ROUNDS, timer=server.cpu_seconds
        )
    connection.close()
    return took


async def _called() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Sqlite(Path(folder) / "homeshelf.db"))
        async with running_app(database, limit_writes=Rate(10**9, 60)) as services:
            home = await new_home(services, "Lovelace", "ada")
            given = _Given.to(home.family_id, home.admin.member_id)
            await database.batch([record.put() for record in given.records])
            caller = Caller(services.app, home.admin.client.headers["authorization"])
            took = {}
            for what, work in given.operations(caller.ask):
                took[what] = await one_by_one(work, times=TIMES, rounds=ROUNDS, timer=process_time)
        await database.close()
    return took


def asking(connection: Connection) -> Ask:
    """The connection waits, which no other task minds: the server is another process."""

    async def ask(method: str, path: str, body: bytes) -> bytes:
        return connection.ask(method, path, body)

    return ask


@dataclass(frozen=True)
class _Given:
    """What the household has before it is measured."""

    items: list[InventoryItem]
    extra: list[InventoryItem]
    entries: list[ShoppingListItem]

    @classmethod
    def to(cls, family_id: str, member_id: str) -> "_Given":
        return cls(
            sample.items(family_id, member_id, PAGE),
            sample.items(family_id, member_id, ADDED),
            sample.entries(family_id, member_id, PAGE),
        )

    @property
    def records(self) -> list[Record]:
        return [*self.items, *self.extra, *self.entries]

    def operations(self, ask: Ask) -> Iterator[tuple[str, Work]]:
        yield f"list {PAGE} entries", operations.lists_entries(ask)
        yield f"list {PAGE} items", operations.lists_items(ask)
        yield "tick an entry", operations.ticks(ask, self.entries[0])
        yield "adjust an item", operations.adjusts(ask, self.items[0])
        yield "add free text", operations.adds_text(ask)
        yield "add an item to the list", operations.adds_item(ask, self.extra)
