"""Places, queries and assertions for the tests of the table layer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from homeshelf import clock
from homeshelf.table.engine import Engine, TransactionCancelled
from homeshelf.table.expressions import Condition, Item, UpdateAction
from homeshelf.table.operations import (
    Check,
    Delete,
    Key,
    KeyValue,
    Page,
    Put,
    Query,
    Sort,
    Update,
    Write,
    item_key,
)
from homeshelf.table.schema import BOOKS, INVENTORY, Table

T = TypeVar("T")

HOUR = 3600
INDEX_SECONDS = 10.0


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.started = int(time.time())
        self.now = self.started

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: int) -> None:
        self.now += seconds


@dataclass(frozen=True)
class Place:
    """A partition that no other test uses, with its keys, queries and writes."""

    table: Table
    partition: KeyValue

    def key(self, sort: str) -> Key[Item]:
        return item_key(self.table, self.partition, sort)

    def item(self, sort: str, **attributes: Any) -> dict[str, Any]:
        return {**self.key(sort).attributes, **attributes}

    def put(self, sort: str, when: Condition | None = None, /, **attributes: Any) -> Put:
        return Put(self.table, self.item(sort, **attributes), when)

    def update(self, sort: str, *changes: UpdateAction, when: Condition | None = None) -> Update:
        return Update(self.key(sort), changes, when)

    def delete(self, sort: str, when: Condition | None = None) -> Delete:
        return Delete(self.key(sort), when)

    def check(self, sort: str, when: Condition) -> Check:
        return Check(self.key(sort), when)

    def all(self, sort: Sort | None = None) -> Query[Item]:
        return Query(self.table, self.partition, _itself, sort=sort).up_to_date()

    def indexed(self, sort: Sort | None = None, index: str = "GSI1") -> Query[Item]:
        """Return the query for the records whose index partition has the name of this one."""
        return Query(self.table, self.partition, _itself, index=index, sort=sort)

    def index_keys(self, sort: str, index: str = "GSI1") -> dict[str, KeyValue]:
        found = self.table.index(index)
        return {found.partition: self.partition, found.sort: sort}


def new_place() -> Place:
    """Return a place in the table that has two indexes and a `ttl`."""
    return Place(INVENTORY, f"FAMILY#{clock.new_id()}")


def new_lasting_place() -> Place:
    """Return a place in the table whose records never expire."""
    return Place(BOOKS, f"SHELF#{clock.new_id()}")


def found_by(cancelled: TransactionCancelled, write: Write) -> Item | None:
    """Return the stored item that this write of a cancelled transaction met."""
    return next((current for failed, current in cancelled.failures if failed is write), None)


def list_sort_keys(items: Sequence[Item], attribute: str = "SK") -> list[Any]:
    return [item[attribute] for item in items]


async def put_all(engine: Engine, place: Place, names: Sequence[str], **attributes: Any) -> None:
    await engine.batch([place.put(name, **attributes) for name in names])


async def pages(engine: Engine, query: Query[Any], limit: int) -> list[Page[Item]]:
    """Return every page, up to the one without a next page."""
    found = [await engine.query(query.page(limit))]
    while (start := found[-1].next) is not None:
        found.append(await engine.query(query.page(limit, start)))
    return found


async def eventually(read: Callable[[], Awaitable[T]], expected: Callable[[T], bool]) -> T:
    """Read until the result is as expected, because an index may lag."""
    deadline = time.monotonic() + INDEX_SECONDS
    while not expected(found := await read()):
        assert time.monotonic() < deadline, f"after {INDEX_SECONDS} seconds still {found}"
        await asyncio.sleep(0.005)
    return found


async def found_in_index(engine: Engine, query: Query[Any], count: int) -> list[Item]:
    """Return the records of an index once there are that many."""
    page = await eventually(lambda: engine.query(query), lambda page: len(page.items) == count)
    return list(page.items)


def exactly(one: object, other: object) -> bool:
    """Check whether values and their types are equal at every level: True is not 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(exactly, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(exactly(one[k], other[k]) for k in one)
    return str(one) == str(other)


def _itself(item: Item) -> Item:
    return item


FORMER_LAYOUTS = sorted((Path(__file__).parent / "layouts").glob("*.sql"))
"""One script per layout version, with the current one; a script never changes."""
