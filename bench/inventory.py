"""The inventory through the API: what a request costs the server, beside the bare engine.

The application is called as a server calls it, with a token that it checks; CPU is that of all its
threads. What the socket costs is not in it.
"""

import asyncio
import os
import tempfile
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from time import process_time
from typing import Any

from fastapi import FastAPI

from bench.report import Report
from bench.rounds import Work, in_turn
from homeshelf import clock, logs
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import items_by_quantity
from homeshelf.table import Database
from homeshelf.table.operations import Put
from homeshelf.table.schema import HELPER, INVENTORY
from homeshelf.table.sqlite import Sqlite
from homeshelf.values import Rate
from tests.home import Home, new_home
from tests.house import open_house

ITEMS = 100
LIST_AT_MOST = 0.0015
ADJUST_AT_MOST = 0.001


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w") as nowhere:
        logs.configure("info", nowhere)
        asyncio.run(_run(report, Path(folder)))


async def _run(report: Report, folder: Path) -> None:
    database = Database(Sqlite(folder / "homeshelf.db"))
    async with open_house(database, limit_writes=Rate(10**9, 60)) as house:
        home = await new_home(house, "Lovelace", "ada")
        items = _items(home)
        await database.batch([item.put() for item in items])
        report.section("embedded, server CPU, beside the bare engine")
        caller = Caller(house.app, home.admin.client.headers["authorization"])
        for what, ours, beside, at_most in (
            (f"list {ITEMS} items", _lists(caller), _queries(database, home), LIST_AT_MOST),
            ("adjust one", _adjusts(caller, items, 1), _transactions(database, 1), ADJUST_AT_MOST),
            (
                "adjust 8 at once",
                _adjusts(caller, items, 8),
                _transactions(database, 8),
                ADJUST_AT_MOST,
            ),
        ):
            took = await in_turn(ours, beside, times=8, rounds=60, timer=process_time)
            report.cost(what, *took, at_most=at_most)
    await database.close()


def _items(home: Home) -> list[InventoryItem]:
    at = clock.timestamp()
    places = [clock.new_id() for _ in range(4)]
    return [
        InventoryItem(
            item_id=clock.new_id(),
            family_id=home.family_id,
            name=f"Paper towels, the large pack {number}",
            quantity=number + 10,
            threshold=3,
            location_id=places[number % 2],
            preferred_store_id=places[2],
            alternate_store_ids=(places[3],),
            unit="packs",
            created_by=home.admin.member_id,
            created_at=at,
            updated_at=at,
        )
        for number in range(ITEMS)
    ]


class Caller:
    """A client without a socket."""

    def __init__(self, app: FastAPI, authorization: str) -> None:
        self._app = app
        self._headers = [
            (b"host", b"home.test"),
            (b"authorization", authorization.encode()),
            (b"content-type", b"application/json"),
        ]

    async def ask(self, method: str, path: str, question: str = "", body: bytes = b"") -> bytes:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": question.encode(),
            "root_path": "",
            "headers": list(self._headers),
            "client": ("203.0.113.7", 50000),
            "server": ("home.test", 80),
        }
        answered: list[Mapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            answered.append(message)

        await self._app(scope, receive, send)
        assert answered[0]["status"] == 200
        return b"".join(message["body"] for message in answered[1:])


def _lists(caller: Caller) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            answer = await caller.ask("GET", "/api/v1/items", f"limit={ITEMS}")
            assert answer.count(b'"itemId"') == ITEMS

    return work


def _queries(database: Database, home: Home) -> Work:
    query = items_by_quantity(home.family_id, "active").page(ITEMS)

    async def work(times: int) -> None:
        for _ in range(times):
            assert len((await database.engine.query(query)).items) == ITEMS

    return work


def _adjusts(caller: Caller, items: list[InventoryItem], at_once: int) -> Work:
    """By so many people at once, each of another item."""

    bodies = {item.item_id: cycle((b'{"delta":1}', b'{"delta":-1}')) for item in items}

    async def adjust(item: InventoryItem, times: int) -> None:
        for body in islice(bodies[item.item_id], times):
            answer = await caller.ask("POST", f"/api/v1/items/{item.item_id}/adjust", body=body)
            assert b'"applied":0' not in answer

    async def work(times: int) -> None:
        await asyncio.gather(*(adjust(item, times // at_once) for item in items[:at_once]))

    return work


def _transactions(database: Database, at_once: int) -> Work:
    """An item, its history and the change that listeners hear of."""
    text = "x" * 400

    async def transact(number: int, times: int) -> None:
        family = f"FAMILY#{number}"
        key = {"PK": family, "SK": "ITEM", "GSI2PK": f"{family}#ITEMS", "GSI2SK": "STATUS#active"}
        for _ in range(times):
            await database.engine.transact(
                [
                    Put(INVENTORY, key | {"text": text}),
                    Put(INVENTORY, {"PK": family, "SK": f"HISTORY#{clock.new_id()}"}),
                    Put(HELPER, {"PK": family, "SK": f"CHANGE#{clock.new_id()}"}),
                ]
            )

    async def work(times: int) -> None:
        await asyncio.gather(*(transact(n, times // at_once) for n in range(at_once)))

    return work
