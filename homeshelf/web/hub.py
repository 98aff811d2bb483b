"""Live updates: one hub a process tells its listeners what changed where they listen.

A scope is a family or a shared list. For each that has listeners the hub reads what is newer than
what it has seen, in the embedded engine only when the file's stamp moved. It reads some seconds
again every time, because a slow commit may carry an older id, and drops what it has seen.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass
from typing import Any

import structlog

from homeshelf.errors import Unavailable
from homeshelf.table import Database, Key, TableError
from homeshelf.web.hub_room import Room
from homeshelf.web.limits import Places

LOOK_SECONDS = 0.05
ASK_SECONDS = 0.5
CHECK_SECONDS = 0.4
TROUBLE_SECONDS = 1.0
AT_ONCE = 32
MOST_WAITING = 1000

log = structlog.get_logger()


@dataclass(frozen=True)
class Right:
    """What a listener's right rests on: some records, and whether they still give it."""

    keys: Sequence[Key[Any]]
    holds: Callable[[Sequence[Any]], bool]


class Listener:
    """One open stream: what it has not been sent yet, and whether it is over."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.ended = False
        self._waiting: list[bytes] = []
        self._stirred = asyncio.Event()

    def tell(self, event: bytes) -> None:
        if self.ended:
            return
        self._waiting.append(event)
        self._stirred.set()
        if len(self._waiting) >= MOST_WAITING:  # nobody reads them, and whoever does can resume
            self.end()

    def end(self) -> None:
        self.ended = True
        self._stirred.set()

    async def news(self, patience: float) -> bytes:
        """What there is to send; nothing after so many seconds, or when it is over."""
        try:
            async with asyncio.timeout(patience):
                await self._stirred.wait()
        except TimeoutError:
            return b""
        told = b"".join(self._waiting)
        self._waiting.clear()
        if not self.ended:
            self._stirred.clear()
        return told


class Hub:
    def __init__(self, db: Database, streams_each: int) -> None:
        self.places = Places(streams_each)
        self._db = db
        self._rooms: dict[str, Room] = {}
        self._listeners: set[Listener] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    @asynccontextmanager
    async def listening(
        self,
        scope: str,
        right: Right,
        last_event_id: str | None = None,
        since: str | None = None,
    ) -> AsyncIterator[Listener]:
        """A listener that hears all that changes from now on, after what it missed."""
        if self._closed:
            raise Unavailable(1)
        self._forget_old_rooms()
        room = self._rooms.setdefault(scope, Room(self._db, scope))
        listener = Listener(right)
        self._listeners.add(listener)
        try:
            await room.admit(listener, last_event_id, since)
            self._go_on()
            yield listener
        finally:
            self._listeners.discard(listener)
            room.listeners.discard(listener)

    async def close(self) -> None:
        """End every stream; each sends what it has left."""
        self._closed = True
        for listener in self._listeners:
            listener.end()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _go_on(self) -> None:
        """Each task ends when it finds nobody listening, and the next listener begins it."""
        for work in (self._tell_for_ever, self._check_for_ever):
            task = self._tasks.get(work.__name__)
            if (task is None or task.done()) and not self._closed:
                self._tasks[work.__name__] = _alone(work())

    async def _tell_for_ever(self) -> None:
        seen: int | None = None
        while self._listeners:
            try:
                stamp = await self._db.engine.stamp()
                if stamp is None or stamp != seen:
                    await self._look()
                seen, pause = stamp, ASK_SECONDS if stamp is None else LOOK_SECONDS
            except TableError as error:
                log.warning("listeners_wait", error=str(error))
                pause = TROUBLE_SECONDS
            await asyncio.sleep(pause)

    async def _look(self) -> None:
        turns = asyncio.Semaphore(AT_ONCE)

        async def look(room: Room) -> None:
            async with turns:
                await room.look()

        rooms = [room for room in self._rooms.values() if room.listeners]
        await asyncio.gather(*map(look, rooms))

    async def _check_for_ever(self) -> None:
        while self._listeners:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await self._end_those_without_right()
            except TableError as error:
                log.warning("listeners_unchecked", error=str(error))

    async def _end_those_without_right(self) -> None:
        """One read for all of them, as most share their records with others."""
        listeners = list(self._listeners)
        wanted = {_place(key): key for each in listeners for key in each.right.keys}
        found = dict(zip(wanted, await self._db.get_many([*wanted.values()]), strict=True))
        for listener in listeners:
            if not listener.right.holds([found[_place(key)] for key in listener.right.keys]):
                listener.end()

    def _forget_old_rooms(self) -> None:
        for scope in [scope for scope, room in self._rooms.items() if room.is_forgettable]:
            del self._rooms[scope]


def _alone(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """In a context of its own: what it logs belongs to no request."""
    return asyncio.create_task(work, context=Context())


def _place(key: Key[Any]) -> tuple[str, object, object]:
    return key.table.name, key.partition, key.sort
