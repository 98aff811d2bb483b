"""Workers for a test, and what they are given to do."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import count

from homeshelf import clock
from homeshelf.coordination.queue_worker import PLACES
from homeshelf.coordination.todos import Handler, Todo, keep_working
from homeshelf.coordination.work_queue import shard_of
from homeshelf.table import Database

_ids = count()


class Sweeper:
    """Notes what it was given to do."""

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
    """One whose id happens to lie in this shard."""
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
    """A worker; it is told to stop at the end, or else cut off as by a crash."""
    stop = asyncio.Event()
    known = handlers if handlers is not None or sweep is None else {"sweep": sweep}
    work = asyncio.create_task(keep_working(database, known or {}, stop, every=every))
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
    """A worker looks at every shard when it begins, and then asks for nothing by itself."""
    asked, quiet = -1.0, 0
    while quiet < 5 or asked < len(PLACES):
        await asyncio.sleep(0.02)
        now = database.engine.consumed["query"]
        quiet = quiet + 1 if now == asked else 0
        asked = now
