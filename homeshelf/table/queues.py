"""Those who change the same record in this process wait for each other."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Generic, TypeVar

from homeshelf.table.engine import Unavailable
from homeshelf.table.operations import Key

CROWDED = "too many people are changing this at once"
K = TypeVar("K", bound=Hashable)


class Queues:
    def __init__(self) -> None:
        self._locks: Locks[Key[Any]] = Locks()
        self._holders: dict[Key[Any], asyncio.Task[Any] | None] = {}

    @asynccontextmanager
    async def turn(self, key: Key[Any], ends: float) -> AsyncIterator[None]:
        """In the block it is the caller's turn; `Unavailable` if it does not come in time."""
        task = asyncio.current_task()
        if self._holders.get(key) is task:
            raise RuntimeError(f"{key.sort} is being changed by this very task, which would wait")
        async with self._locks.hold(key, ends - monotonic(), Unavailable(CROWDED)):
            self._holders[key] = task
            try:
                yield
            finally:
                del self._holders[key]


class Locks(Generic[K]):
    """A lock for each name, which is there while somebody holds or waits for it."""

    def __init__(self) -> None:
        self._locks: dict[K, asyncio.Lock] = {}
        self.users: Counter[K] = Counter()
        """How many hold or wait for each."""

    @asynccontextmanager
    async def hold(self, name: K, seconds: float, late: Exception) -> AsyncIterator[None]:
        """In the block the caller has the lock; raises `late` if it is not free in time."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        self.users[name] += 1
        try:
            await _acquire(lock, seconds, late)
            try:
                yield
            finally:
                lock.release()
        finally:
            self.users[name] -= 1
            if not self.users[name]:
                del self.users[name], self._locks[name]


async def _acquire(lock: asyncio.Lock, seconds: float, late: Exception) -> None:
    try:
        async with asyncio.timeout(seconds):
            await lock.acquire()
    except TimeoutError:
        raise late from None
