"""Those who change the same record in this process wait for each other."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from homeshelf.table.engine import Unavailable
from homeshelf.table.operations import Key

CROWDED = "too many people are changing this at once"


class Queues:
    """A lock for each key that somebody waits for."""

    def __init__(self) -> None:
        self._locks: dict[Key[Any], asyncio.Lock] = {}
        self._waiting: Counter[Key[Any]] = Counter()
        self._holders: dict[Key[Any], asyncio.Task[Any] | None] = {}

    @asynccontextmanager
    async def turn(self, key: Key[Any], ends: float) -> AsyncIterator[None]:
        """In the block it is the caller's turn; `Unavailable` if it does not come in time."""
        task = asyncio.current_task()
        if self._holders.get(key) is task:
            raise RuntimeError(f"{key.sort} is being changed by this very task, which would wait")
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._waiting[key] += 1
        try:
            await _acquire(lock, ends)
            self._holders[key] = task
            try:
                yield
            finally:
                del self._holders[key]
                lock.release()
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._locks[key]


async def _acquire(lock: asyncio.Lock, ends: float) -> None:
    try:
        async with asyncio.timeout(ends - monotonic()):
            await lock.acquire()
    except TimeoutError:
        raise Unavailable(CROWDED) from None
