"""Locks and queues for tasks of this process that change the same record."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from random import random
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from homeshelf.table.engine import Unavailable
from homeshelf.table.operations import Key

if TYPE_CHECKING:
    from homeshelf.table.database import Database

CROWDED = "too many people are changing this at once"
K = TypeVar("K", bound=Hashable)


class Locks(Generic[K]):
    """A lock for each name, which goes to the task that has waited longest."""

    def __init__(self) -> None:
        self._waiters: dict[K, deque[asyncio.Future[bool]]] = {}

    def users(self, name: K) -> int:
        waiters = self._waiters.get(name)
        return 0 if waiters is None else 1 + len(waiters)

    @asynccontextmanager
    async def hold(self, name: K, seconds: float, late: Exception) -> AsyncIterator[None]:
        await self.acquire(name, seconds, late)
        try:
            yield
        finally:
            self.release(name)

    async def acquire(
        self, name: K, seconds: float, late: Exception, unless: "asyncio.Future[Any] | None" = None
    ) -> bool:
        """Acquire the lock, or return False once `unless` is done; raise `late` on timeout."""
        waiters = self._waiters.get(name)
        if waiters is None:
            self._waiters[name] = deque()
            return True
        mine: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        waiters.append(mine)
        if unless is not None:
            unless.add_done_callback(partial(_stop_waiting, mine))
        try:
            async with asyncio.timeout(seconds):
                has_it = await mine
        except BaseException as error:
            if mine.done() and not mine.cancelled() and mine.result():
                self.release(name)  # the lock arrived just as the wait ended
            if isinstance(error, TimeoutError):
                raise late from None
            raise
        finally:
            if mine in waiters:
                waiters.remove(mine)
        return has_it

    def release(self, name: K) -> None:
        waiters = self._waiters[name]
        while waiters:
            following = waiters.popleft()
            if not following.done():
                following.set_result(True)
                return
        del self._waiters[name]


def _stop_waiting(mine: "asyncio.Future[bool]", _: "asyncio.Future[Any]") -> None:
    if not mine.done():
        mine.set_result(False)


class Turn:
    def __init__(self, ends: float, *, has_come: bool) -> None:
        self.has_come = has_come
        self._ends = ends
        self._longest_pause = 0.002

    async def pause(self) -> None:
        """Wait briefly after a conflict; raise `Unavailable` after the deadline."""
        if monotonic() > self._ends:
            raise Unavailable(CROWDED) from None
        await asyncio.sleep(self._longest_pause * random())  # noqa: S311  # spreads the tries
        self._longest_pause = min(self._longest_pause * 2, 0.2)


W = TypeVar("W")
T = TypeVar("T")


class Waiting(Generic[W, T]):
    def __init__(self, wanted: W) -> None:
        self.wanted = wanted
        self.under_way: asyncio.Task[None] | None = None
        """The task that carries out the change, perhaps for a caller that has disconnected."""
        self.answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    @property
    def is_done(self) -> bool:
        return self.answer.done()

    def resolve(self, result: T) -> None:
        if not self.is_done:
            self.answer.set_result(result)

    def refuse(self, error: Exception) -> None:
        if not self.is_done:
            self.answer.set_exception(error)


Together = Callable[[Sequence[Waiting[Any, Any]]], Awaitable[None]]
"""Resolves or refuses at least the first of the queued changes, or raises."""


class Joins:
    """Queues of changes to the same record that one write carries out together."""

    def __init__(self, db: "Database") -> None:
        self._db = db
        self._queues: dict[Key[Any], deque[Waiting[Any, Any]]] = {}

    async def join(self, key: Key[Any], wanted: Any, most: int, together: Together) -> Any:
        queue = self._queues.setdefault(key, deque())
        mine: Waiting[Any, Any] = Waiting(wanted)
        queue.append(mine)

        async def attempt() -> None:
            if mine.under_way is not None:
                await asyncio.wait([mine.under_way])
            if not mine.is_done and len(queue) == 1 and queue[0] is mine:
                await _carry_out(queue, [queue.popleft()], together)
            elif not mine.is_done:
                # Another task carries it out, so that a disconnected caller does not cancel the
                # others' changes.
                await asyncio.shield(_begin(queue, most, together))

        try:
            while not mine.is_done:
                try:
                    await self._db.retry_with_lock(key, attempt, unless=mine.answer)
                except Unavailable:
                    if mine.under_way is not None:  # the task under way will resolve it
                        await asyncio.wait([mine.under_way])
                    if not mine.is_done:
                        raise
            return mine.answer.result()
        finally:
            mine.answer.cancel()
            if mine in queue:
                queue.remove(mine)
            if not queue and self._queues.get(key) is queue:
                del self._queues[key]


def _begin(queue: deque[Waiting[Any, Any]], most: int, together: Together) -> asyncio.Task[None]:
    taken = [queue.popleft() for _ in range(min(most, len(queue)))]
    task = asyncio.create_task(_carry_out(queue, taken, together))
    for each in taken:
        each.under_way = task
    return task


async def _carry_out(
    queue: deque[Waiting[Any, Any]], taken: list[Waiting[Any, Any]], together: Together
) -> None:
    try:
        await together(taken)
    finally:
        for each in reversed(taken):
            each.under_way = None
            if not each.is_done:
                queue.appendleft(each)
