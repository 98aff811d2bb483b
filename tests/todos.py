"""What is left to do and to send, over all shards, and done without waiting for a worker."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar

from homeshelf import clock
from homeshelf.coordination.todos import Handler, Todo, attend_to, waiting_todos
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.outbox.model import Letter
from homeshelf.outbox.store import waiting_letters
from homeshelf.table import HELPER, Database, Query

Due = TypeVar("Due", Todo, Letter)
MANY = 100_000


async def todos_of(db: Database, until: datetime | None = None) -> list[Todo]:
    """All that is left, or what is due by then; the longest due first."""
    at = None if until is None else clock.timestamp(until)
    return await _found(db, [waiting_todos(shard, at) for shard in SHARDS])


async def due_todos(db: Database, now: datetime) -> list[Todo]:
    return await todos_of(db, now)


async def letters_of(db: Database) -> list[Letter]:
    return await _found(db, [waiting_letters(shard) for shard in SHARDS])


async def do_what_is_due(db: Database, handlers: Mapping[str, Handler]) -> int:
    """Returns how many were done."""
    return sum([await attend_to(db, handlers, left) for left in await due_todos(db, clock.now())])


async def _found(db: Database, shards: Iterable[Query[Due]]) -> list[Due]:
    """Most are empty, and a look through the table of a test takes less than one at each."""
    page = await db.engine.scan(HELPER, MANY)
    assert page.next is None
    used = {item[HELPER.partition] for item in page.items}
    found = [await db.all(each.up_to_date()) for each in shards if each.partition in used]
    return sorted((each for some in found for each in some), key=lambda each: each.due_at)
