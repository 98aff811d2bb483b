"""Changes of one record that wait for each other: who has the turn takes along what queued up.

One after the other they would each wait for a write of their own; joined they wait for one.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from homeshelf.table.operations import Key

if TYPE_CHECKING:
    from homeshelf.table.database import Database

W = TypeVar("W")
T = TypeVar("T")


class Waiting(Generic[W, T]):
    """What somebody wants, and what becomes of it."""

    def __init__(self, wanted: W) -> None:
        self.wanted = wanted
        self.under_way: asyncio.Task[None] | None = None
        """What is just trying to do it, which may be the work of somebody who went away."""
        self._future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    @property
    def is_done(self) -> bool:
        return self._future.done()

    def resolve(self, result: T) -> None:
        if not self._future.done():
            self._future.set_result(result)

    def refuse(self, error: Exception) -> None:
        if not self._future.done():
            self._future.set_exception(error)

    def give_up(self) -> None:
        self._future.cancel()

    def result(self) -> T:
        return self._future.result()


Together = Callable[[Sequence[Waiting[Any, Any]]], Awaitable[None]]
"""Resolves or refuses some of those that it is given, the first of them for sure, or raises."""


class Joins:
    """Who waits for which record, in the order in which they came."""

    def __init__(self, db: "Database") -> None:
        self._db = db
        self._queues: dict[Key[Any], deque[Waiting[Any, Any]]] = {}

    async def join(self, key: Key[Any], wanted: Any, most: int, together: Together) -> Any:
        """Have this done together with whatever else waits for the same record."""
        queue = self._queues.setdefault(key, deque())
        mine: Waiting[Any, Any] = Waiting(wanted)
        queue.append(mine)

        async def attempt() -> Any:
            if mine.under_way is not None:
                await asyncio.wait([mine.under_way])
            if not mine.is_done:
                # Not by this task: who goes away meanwhile leaves the others their answers.
                await asyncio.shield(_begin(queue, most, together))
            return mine.result() if mine.is_done else None

        try:
            while True:
                result = await self._db.settle(key, attempt)
                if mine.is_done:
                    return result
        finally:
            mine.give_up()
            if mine in queue:
                queue.remove(mine)
            if not queue and self._queues.get(key) is queue:
                del self._queues[key]


def _begin(queue: deque[Waiting[Any, Any]], most: int, together: Together) -> asyncio.Task[None]:
    taken = [queue.popleft() for _ in range(min(most, len(queue)))]

    async def carry_out() -> None:
        try:
            await together(taken)
        finally:
            for each in reversed(taken):
                each.under_way = None
                if not each.is_done:
                    queue.appendleft(each)

    task = asyncio.create_task(carry_out())
    for each in taken:
        each.under_way = task
    return task
