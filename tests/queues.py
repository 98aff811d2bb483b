"""The queues of to-dos and letters: what is in them, and workers for a test."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import count
from typing import TypeVar

from homeshelf import clock
from homeshelf.coordination.queue_worker import PLACES
from homeshelf.coordination.todos import (
    Handler,
    Todo,
    pending_todos,
    run_or_postpone,
    run_todo_worker,
)
from homeshelf.coordination.work_queue import SHARDS, shard_of
from homeshelf.outbox.model import Letter
from homeshelf.outbox.store import waiting_letters
from homeshelf.table import HELPER, Database, Query

Due = TypeVar("Due", Todo, Letter)
MANY = 100_000


async def todos_of(db: Database, until: datetime | None = None) -> list[Todo]:
    at = None if until is None else clock.timestamp(until)
    return await _found(db, [pending_todos(shard, at) for shard in SHARDS])


async def due_todos(db: Database, now: datetime) -> list[Todo]:
    return await todos_of(db, now)


async def letters_of(db: Database) -> list[Letter]:
    return await _found(db, [waiting_letters(shard) for shard in SHARDS])


async def do_what_is_due(db: Database, handlers: Mapping[str, Handler]) -> int:
    return sum(
        [await run_or_postpone(db, handlers, left) for left in await due_todos(db, clock.now())]
    )


async def _found(db: Database, shards: Iterable[Query[Due]]) -> list[Due]:
    page = await db.engine.scan(HELPER, MANY)
    assert page.next is None
    used = {item[HELPER.partition] for item in page.items}
    found = [await db.all(each.up_to_date()) for each in shards if each.partition in used]
    return sorted((each for some in found for each in some), key=lambda each: each.due_at)


_ids = count()


class Sweeper:
    def __init__(self) -> None:
        self.did: list[str] = []

    def has_done(self, room: str) -> bool:
        return room in self.did

    async def sweep(self, _: Database, left: Todo) -> None:
        self.did.append(str(left.about["room"]))

    async def fail(self, _: Database, left: Todo) -> None:
        self.did.append(str(left.about["room"]))
        raise OSError("the broom is broken")

    async def hang(self, _: Database, left: Todo) -> None:
        self.did.append(str(left.about["room"]))
        await asyncio.Event().wait()


def todo_in(shard: str, room: str, kind: str = "sweep", due: datetime | None = None) -> Todo:
    todo_id = next(id_ for id_ in map(str, _ids) if shard_of(id_) == shard)
    at = clock.timestamp(due or clock.now())
    date = at if due else None
    return Todo(todo_id=todo_id, due_at=at, not_before=date, kind=kind, about={"room": room})


@asynccontextmanager
async def working(
    database: Database,
    sweep: Handler | None = None,
    *,
    handlers: Mapping[str, Handler] | None = None,
    every: float = 0.005,
    shutdown: bool = True,
) -> AsyncIterator[None]:
    """Run a worker until the end of the block, or cut it off like a crash."""
    stop = asyncio.Event()
    known = handlers if handlers is not None or sweep is None else {"sweep": sweep}
    work = asyncio.create_task(run_todo_worker(database, known or {}, stop, every=every))
    try:
        yield
    finally:
        if shutdown:
            stop.set()
        else:
            work.cancel()
        await asyncio.wait([work], timeout=10)
        assert work.done()
        if not work.cancelled():
            assert work.exception() is None


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(10):
        while True:
            found = condition()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.002)


async def first_look_over(database: Database) -> None:
    asked, quiet = -1.0, 0
    while quiet < 5 or asked < len(PLACES):
        await asyncio.sleep(0.02)
        now = database.engine.consumed["query"]
        quiet = quiet + 1 if now == asked else 0
        asked = now
