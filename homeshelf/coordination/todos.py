"""To-dos: work that a transaction starts and another process may have to finish.

A to-do is stored in the transaction and deleted when it is done. The holder of its shard's lease
runs what is due, so a crash costs only a delay. A handler must tolerate being run twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.coordination.queue_worker import EVERY_SECONDS, QueueWorker
from homeshelf.coordination.work_queue import QueuedRecord, WorkQueue, shard_of
from homeshelf.table import Database, Keys, Query, TableError, TransactionCancelled, exists

FINISH_DELAY = timedelta(seconds=2)
"""A time longer than `finish_soon` takes, so that no worker repeats its work."""
LONGEST_LEAD = timedelta(seconds=90)
"""The longest delay of a to-do for its caller to finish first; a later time is a chosen date."""
LONGEST_PAUSE = timedelta(hours=1)
LONGEST_SECONDS = 600.0
"""The longest time for a handler; one that hangs is postponed, and its shard continues."""

Handler = Callable[[Database, "Todo"], Awaitable[None]]
log = structlog.get_logger()


class Todo(QueuedRecord):
    keys = Keys(PK="TODO#{shard}", SK="DUE#{dueAt}#{todoId}")

    todo_id: str
    kind: str
    about: dict[str, Any]
    attempts: int = 0

    @property
    def shard(self) -> str:
        return shard_of(self.todo_id)

    def postponed(self, now: datetime) -> "Todo":
        due_at = clock.timestamp(now + self._next_pause)
        return self.changed(due_at=due_at, attempts=self.attempts + 1)

    @property
    def longest_pause(self) -> timedelta:
        return max(self._next_pause, LONGEST_LEAD)

    @property
    def _next_pause(self) -> timedelta:
        return min(timedelta(seconds=2 ** min(self.attempts, 12)), LONGEST_PAUSE)


def todo(kind: str, about: Mapping[str, Any], due: datetime | None = None) -> Todo:
    """Make a to-do; `due` gives the caller time to finish first, or is a later date."""
    now = clock.now()
    due = due or now
    at = clock.timestamp(due)
    return Todo(
        todo_id=clock.new_id(),
        due_at=at,
        not_before=at if due - now > LONGEST_LEAD else None,
        kind=kind,
        about=dict(about),
    )


def pending_todos(shard: str, until: str | None = None, *, since: str | None = None) -> Query[Todo]:
    return Todo.between("due_at", since, until, shard=shard)


TODOS = WorkQueue("todos", "TODO", pending_todos)


async def finish_soon(db: Database, left: Todo, handler: Handler, within: float = 1.0) -> None:
    """Run the handler for at most `within` seconds, and leave the rest to a worker."""
    with suppress(TableError, TimeoutError):
        async with asyncio.timeout(within):
            await handler(db, left)
            await db.write(left.delete())


async def run_or_postpone(db: Database, handlers: Mapping[str, Handler], left: Todo) -> bool:
    """Run the handler or postpone the to-do; return whether it was done."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            await handlers[left.kind](db, left)
        await db.write(left.delete())
    except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
        log.warning("todo_failed", kind=left.kind, attempts=left.attempts, error=repr(error))
        with suppress(TransactionCancelled):  # another process finished it
            await db.transact(left.delete(exists), left.postponed(clock.now()).put())
        return False
    return True


async def run_todo_worker(
    db: Database, handlers: Mapping[str, Handler], stop: asyncio.Event, every: float | None = None
) -> None:
    attend = partial(run_or_postpone, db, handlers)
    await QueueWorker(db, TODOS, attend, every=every or EVERY_SECONDS).work(stop)
