"""What is left to do and to send, over all shards, and done without waiting for a worker."""

from collections.abc import Mapping
from datetime import datetime

from homeshelf import clock
from homeshelf.coordination.todos import Handler, Todo, attend_to, waiting_todos
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.outbox.model import Letter
from homeshelf.outbox.store import waiting_letters
from homeshelf.table import Database


async def todos_of(db: Database, until: datetime | None = None) -> list[Todo]:
    """All that is left, or what is due by then; the longest due first."""
    at = None if until is None else clock.timestamp(until)
    found = [await db.all(waiting_todos(shard, at).up_to_date()) for shard in SHARDS]
    return sorted((each for some in found for each in some), key=lambda each: each.due_at)


async def due_todos(db: Database, now: datetime) -> list[Todo]:
    return await todos_of(db, now)


async def letters_of(db: Database) -> list[Letter]:
    found = [await db.all(waiting_letters(shard).up_to_date()) for shard in SHARDS]
    return sorted((each for some in found for each in some), key=lambda each: each.due_at)


async def do_what_is_due(db: Database, handlers: Mapping[str, Handler]) -> int:
    """Returns how many were done."""
    return sum([await attend_to(db, handlers, left) for left in await due_todos(db, clock.now())])
