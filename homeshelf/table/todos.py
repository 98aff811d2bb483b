"""Work that is left: what a transaction begins and something else must finish.

A to-do is put in the transaction that begins the work, and deleted when it is done. Whoever holds
the lease does what is due, so that a crash half-way costs a delay and nothing else. A lease can be
lost while its holder is busy: what a handler does must be right when it is done twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.table.database import Database
from homeshelf.table.engine import ConditionFailed, TableError, TransactionCancelled
from homeshelf.table.expressions import absent, attr, exists
from homeshelf.table.record import Keys, Record
from homeshelf.table.schema import HELPER

HELD_SECONDS = 20
LONGEST_PAUSE = timedelta(hours=1)
AT_ONCE = 25

Handler = Callable[[Database, "Todo"], Awaitable[None]]
log = structlog.get_logger()


class Todo(Record):
    table = HELPER
    keys = Keys(PK="TODO", SK="DUE#{dueAt}#{todoId}")

    todo_id: str
    due_at: str
    kind: str
    about: dict[str, Any]
    """What the handler needs to go on."""
    attempts: int = 0

    def postponed(self, now: datetime) -> "Todo":
        """Due again after a pause that doubles with each attempt."""
        pause = min(timedelta(seconds=2 ** min(self.attempts, 12)), LONGEST_PAUSE)
        return self.changed(due_at=clock.timestamp(now + pause), attempts=self.attempts + 1)


class Lease(Record):
    table = HELPER
    keys = Keys(PK="LEASE#{name}", SK="LEASE")

    name: str
    holder: str
    ttl: int


def todo(kind: str, about: Mapping[str, Any], due: datetime | None = None) -> Todo:
    """`due` leaves whoever begins the work some time to finish it first."""
    at = clock.timestamp(due or clock.now())
    return Todo(todo_id=clock.new_id(), due_at=at, kind=kind, about=dict(about))


async def due_todos(db: Database, now: datetime, limit: int = AT_ONCE) -> list[Todo]:
    query = Todo.between("due_at", None, clock.timestamp(now))
    return list((await db.query(query.up_to_date().page(limit))).items)


async def hold_lease(db: Database, name: str, holder: str) -> bool:
    """Take or renew a lease; False while somebody else has it."""
    lease = Lease(name=name, holder=holder, ttl=clock.seconds() + HELD_SECONDS)
    try:
        await db.put(lease, when=attr("holder") == holder)
    except ConditionFailed as held:
        if held.current is not None:
            return False
        try:
            await db.put(lease, when=absent)
        except ConditionFailed:
            return False
    return True


async def release_lease(db: Database, name: str, holder: str) -> None:
    """Let the next one in at once; where that fails, the lease runs out by itself."""
    with suppress(TableError):
        await db.write(Lease(name=name, holder=holder, ttl=0).delete(attr("holder") == holder))


async def finish_soon(db: Database, left: Todo, handler: Handler, within: float = 1.0) -> None:
    """Do at once what is quick; what takes longer is left to whoever holds the lease."""
    with suppress(TableError, TimeoutError):
        async with asyncio.timeout(within):
            await handler(db, left)
            await db.write(left.delete())


async def do_what_is_due(db: Database, handlers: Mapping[str, Handler]) -> int:
    """Do a handful of what is due, each by the handler of its kind; returns how many were done."""
    done = 0
    for left in await due_todos(db, clock.now()):
        try:
            await handlers[left.kind](db, left)
            await db.write(left.delete())
            done += 1
        except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
            log.warning("todo_failed", kind=left.kind, attempts=left.attempts, error=repr(error))
            await _postpone(db, left)
    return done


async def keep_working(
    db: Database, handlers: Mapping[str, Handler], stop: asyncio.Event, every: float = 1.0
) -> None:
    """Hold the lease and do what is due, until told to stop."""
    holder = clock.new_id()
    while not stop.is_set():
        try:
            busy = await hold_lease(db, "todos", holder) and await do_what_is_due(db, handlers)
        except TableError as error:
            log.warning("todos_wait", error=str(error))
            busy = False
        if not busy:
            try:
                await asyncio.wait_for(stop.wait(), every)
            except TimeoutError:
                continue
    await release_lease(db, "todos", holder)


async def _postpone(db: Database, left: Todo) -> None:
    later = left.postponed(clock.now())
    try:
        await db.transact(left.delete(exists), later.put())
    except TransactionCancelled:  # somebody else finished it
        return
