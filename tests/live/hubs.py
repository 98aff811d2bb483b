"""Hubs in tests: rights that can be revoked, and reads that lag or fail."""

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import Change, session_end_writes
from homeshelf.live.listener import Right
from homeshelf.table import HELPER, Database, Engine, Keys, Page, Query, Record
from homeshelf.table.expressions import Item

ALWAYS = Right((), lambda _: inf)


class Ticket(Record):
    """The record that gives the right to listen."""

    table = HELPER
    keys = Keys(PK="TICKET#{holder}", SK="TICKET")

    holder: str
    until: int


def ticket_right(holder: str) -> Right:
    def end_of_ticket(found: Sequence[Any]) -> float:
        (ticket,) = found
        return ticket.until if ticket else 0

    return Right([Ticket.key(holder=holder)], end_of_ticket, frozenset({("Session", holder)}))


async def give_ticket(db: Database, holder: str, seconds: int = 3600) -> Ticket:
    ticket = Ticket(holder=holder, until=clock.seconds() + seconds)
    await db.put(ticket)
    return ticket


async def take_ticket(db: Database, ticket: Ticket, *scopes: str) -> None:
    await db.transact(ticket.delete(), *session_end_writes(ticket.holder, scopes))


class EngineWithQuery:
    """An engine with replaced queries; all other methods are those of the real engine."""

    def __init__(self, engine: Engine, query: Callable[[Engine, Query[Any]], Any]) -> None:
        self._engine = engine
        self._query = query

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def query(self, query: Query[Any]) -> Page[Item]:
        page: Page[Item] = await self._query(self._engine, query)
        return page


def with_query(database: Database, query: Callable[[Engine, Query[Any]], Any]) -> Database:
    return Database(EngineWithQuery(database.engine, query))


def make_change(id_: str) -> Change:
    """Return a change with an id of the current time."""
    return Change(
        scope="family",
        change_id=clock.ordered_id(),
        type="Item",
        id=id_,
        version=1,
        ttl=clock.seconds() + 3600,
    )


async def put_changes(database: Database, number: int, scope: str = "family") -> list[str]:
    """Put this many new changes, and return their ids in order."""
    changes = [make_change("1").changed(scope=scope) for _ in range(number)]
    for each in sorted(changes, key=lambda each: each.change_id):
        await database.put(each)
    return sorted(each.change_id for each in changes)


def ids_in(text: bytes) -> list[str]:
    return [line[4:].decode() for line in text.splitlines() if line.startswith(b"id: ")]


async def wait_until(holds: Callable[[], bool], within: float = 5.0) -> None:
    async with asyncio.timeout(within):
        while not holds():  # noqa: ASYNC110  # no event announces it
            await asyncio.sleep(0.005)
