"""The shopping list through the API: what a request costs the server, beside the bare engine.

CPU is that of all threads, with the token checked and the line logged. What the socket costs is
not in it.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from time import process_time

from bench.caller import Caller
from bench.report import Report
from bench.rounds import Work, in_turn
from homeshelf import clock, logs
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.adding import new_entry
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.store import whole_list
from homeshelf.table import HELPER, INVENTORY, Database
from homeshelf.table.operations import Put
from homeshelf.table.sqlite import Sqlite
from homeshelf.values import Rate
from tests.home import Home, new_home
from tests.house import open_house

LISTED = 100
LONG = 2000
LIST_AT_MOST = 0.0015
ADD_AT_MOST = 0.001
TIMES, ROUNDS = 5, 60


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w") as nowhere:
        logs.configure("info", nowhere)
        asyncio.run(_run(report, Path(folder)))


async def _run(report: Report, folder: Path) -> None:
    database = Database(Sqlite(folder / "homeshelf.db"))
    async with open_house(database, limit_writes=Rate(10**9, 60)) as house:
        report.section("embedded, server CPU, beside the bare engine")
        for entries, name in ((LISTED, "ada"), (LONG, "eve")):
            home = await new_home(house, "Lovelace", name)
            await database.batch([entry.put() for entry in _entries(home, entries)])
            caller = Caller(house.app, home.admin.client.headers["authorization"])
            of = f"of {entries}"
            listing = _lists(caller), _queries(database, home)
            took = await in_turn(*listing, times=TIMES, rounds=ROUNDS, timer=process_time)
            report.cost(f"list {LISTED} {of}", *took, at_most=LIST_AT_MOST)
            bodies = [b'{"name":"Birthday cake","quantity":1}'] * (TIMES * (ROUNDS + 3))
            await _additions(report, f"add free text to {entries}", database, caller, bodies)
            items = [_item(home) for _ in bodies]
            await database.batch([item.put() for item in items])
            bodies = [json.dumps({"itemId": item.item_id}).encode() for item in items]
            await _additions(report, f"add an item to {entries}", database, caller, bodies)
    await database.close()


async def _additions(
    report: Report, what: str, database: Database, caller: Caller, bodies: Sequence[bytes]
) -> None:
    adding = _adds(caller, bodies), _transactions(database)
    took = await in_turn(*adding, times=TIMES, rounds=ROUNDS, timer=process_time)
    report.cost(what, *took, at_most=ADD_AT_MOST)


def _entries(home: Home, number: int) -> list[ShoppingListItem]:
    shops = [clock.new_id() for _ in range(4)]
    given = {"name": "Paper towels", "quantity": 2, "notes": "Prefer double-roll"}
    return [
        new_entry(home.family_id, home.admin.member_id, given | {"store_id": shops[each % 4]})
        for each in range(number)
    ]


def _item(home: Home) -> InventoryItem:
    at = clock.timestamp()
    return InventoryItem(
        item_id=clock.new_id(),
        family_id=home.family_id,
        name="Paper towels",
        created_by=home.admin.member_id,
        created_at=at,
        updated_at=at,
    )


def _lists(caller: Caller) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            answer = await caller.ask("GET", "/shopping-list", f"limit={LISTED}")
            assert answer.count(b"shoppingItemId") == LISTED

    return work


def _queries(database: Database, home: Home) -> Work:
    query = whole_list(home.family_id).page(LISTED)

    async def work(times: int) -> None:
        for _ in range(times):
            assert len((await database.engine.query(query)).items) == LISTED

    return work


def _adds(caller: Caller, bodies: Sequence[bytes]) -> Work:
    rest = iter(bodies)

    async def work(times: int) -> None:
        for _ in range(times):
            await caller.ask("POST", "/shopping-list", body=next(rest))

    return work


def _transactions(database: Database) -> Work:
    """An entry and the change that listeners hear of."""
    numbers = count()

    async def work(times: int) -> None:
        for _ in range(times):
            key = f"SHOPPING#{next(numbers)}"
            await database.engine.transact(
                [
                    Put(INVENTORY, {"PK": "FAMILY#bare", "SK": key, "text": "x" * 400}),
                    Put(HELPER, {"PK": "CHANGES#bare", "SK": f"CHANGE#{clock.new_id()}"}),
                ]
            )

    return work
