"""Live updates: one hub per process sends the changes of a family or a shared list to its
listeners.

If the engine has a stamp, the hub reads the scopes that changed whenever the stamp does. Otherwise
it reads every scope with listeners in turn, and less often where their pages are hidden. Each read
overlaps the last one by some seconds, because a slow commit may carry an older id; events that were
sent before are dropped. A listener's right is checked at the start, at changes that may end it, at
its known end, and every half minute.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from contextvars import Context
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.coordination.changes import ChangeId, recent_changes
from homeshelf.coordination.clock_jumps import ClockJumps
from homeshelf.errors import Unavailable
from homeshelf.live.listener import Listener, Right, check_rights
from homeshelf.live.room import FAR_SECONDS, Lookback, Room
from homeshelf.table import Database
from homeshelf.web.limits import ConcurrencyLimit

STAMP_SECONDS = 0.05
ASK_SECONDS = 0.7
HIDDEN_SECONDS = 5.0
CHECK_SECONDS = 30.0
CHECK_TURN_SECONDS = 0.3
TROUBLE_SECONDS = 1.0
AT_ONCE = 32

log = structlog.get_logger()


class Hub:
    def __init__(self, db: Database, streams_each: int) -> None:
        self.places = ConcurrencyLimit(streams_each)
        self._db = db
        self._rooms: dict[str, Room] = {}
        self._listeners: set[Listener] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._reads: dict[str, asyncio.Task[None]] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._changed_scopes: set[str] = set()
        """The scopes with changes that no listener has been sent yet."""
        self._known: frozenset[ChangeId] = frozenset()
        self._lookback = Lookback()
        self._clock_jumps = ClockJumps(FAR_SECONDS)
        self._closed = False

    @asynccontextmanager
    async def listening(
        self,
        scope: str,
        right: Right,
        last_event_id: str | None = None,
        since: str | None = None,
        *,
        visible: bool = True,
    ) -> AsyncIterator[Listener]:
        """Yield a listener that first gets what it missed; `visible` is false for hidden pages."""
        if self._closed:
            raise Unavailable(1)
        self._rooms = {scope: room for scope, room in self._rooms.items() if not room.is_idle}
        room = self._rooms.setdefault(scope, Room(self._db, scope))
        listener = Listener(right, visible=visible)
        self._listeners.add(listener)
        try:
            await room.admit(listener, last_event_id, since)
            self._start_tasks()
            yield listener
        finally:
            self._listeners.discard(listener)
            room.listeners.discard(listener)

    async def close(self) -> None:
        self._closed = True
        for listener in self._listeners:
            listener.end()
        await end(*self._tasks.values(), *self._reads.values())

    def _start_tasks(self) -> None:
        for work in (self._send_loop, self._check_loop):
            task = self._tasks.get(work.__name__)
            if (task is None or task.done()) and not self._closed:
                self._tasks[work.__name__] = _start_detached(work())

    async def _send_loop(self) -> None:
        seen: int | None = None
        self._lookback = Lookback()  # earlier changes were read when the first listener arrived
        loop = asyncio.get_running_loop()
        while self._listeners:
            turn = loop.time()
            try:
                stamp = await self._db.engine.stamp()
                if stamp is None:
                    self._read_rooms(self._due(turn))
                else:
                    if stamp != seen:
                        await self._find_changed_scopes()
                    if self._clock_jumps.take_due_look():
                        self._changed_scopes |= self._rooms.keys()
                    self._read_rooms(self._changed_rooms())
                seen, pause = stamp, ASK_SECONDS if stamp is None else STAMP_SECONDS
            except Exception as error:  # noqa: BLE001  # it must go on, whatever it was
                log.warning("listeners_wait", error=repr(error))
                pause = TROUBLE_SECONDS
            await asyncio.sleep(max(0.0, turn + pause - loop.time()))

    def _due(self, now: float) -> list[Room]:
        """Return the rooms to read in this turn, those of hidden pages less often."""
        due = []
        for room in self._rooms.values():
            if room.listeners and (room.is_visible or now - room.asked_at >= HIDDEN_SECONDS):
                room.asked_at = now
                due.append(room)
        return due

    async def _find_changed_scopes(self) -> None:
        now = clock.now()
        found = frozenset(await recent_changes(self._db, self._lookback.start(now)))
        self._changed_scopes |= {scope for scope, _ in found - self._known}
        self._known = found
        self._lookback.note_read(now)

    def _changed_rooms(self) -> list[Room]:
        """Return the changed rooms with listeners; they stay marked until they are read."""
        rooms = [self._rooms.get(scope) for scope in self._changed_scopes]
        heard = [room for room in rooms if room is not None and room.is_active]
        self._changed_scopes &= {room.scope for room in heard}
        return heard

    def _read_rooms(self, rooms: Iterable[Room]) -> None:
        """Read each room in its own task, so that a slow or failing one delays no other."""
        for room in rooms:
            if room.scope not in self._reads:
                self._changed_scopes.discard(room.scope)
                self._reads[room.scope] = _start_detached(self._read_room(room))

    async def _read_room(self, room: Room) -> None:
        try:
            async with self._turns:
                await room.look()
        except Exception as error:  # noqa: BLE001  # the next turn tries again
            log.warning("listeners_wait", error=repr(error))
            self._changed_scopes.add(room.scope)
            await asyncio.sleep(TROUBLE_SECONDS)
        finally:
            del self._reads[room.scope]

    async def _check_loop(self) -> None:
        while self._listeners:
            await asyncio.sleep(CHECK_TURN_SECONDS)
            try:
                if due := self._due_for_check():
                    await check_rights(self._db, due)
            except Exception as error:  # noqa: BLE001  # it must go on, whatever it was
                log.warning("listeners_unchecked", error=repr(error))
                await asyncio.sleep(TROUBLE_SECONDS)

    def _due_for_check(self) -> list[Listener]:
        before = asyncio.get_running_loop().time() - CHECK_SECONDS
        now = clock.seconds()
        return [
            each
            for each in self._listeners
            if not each.ended and (each.checked_at <= before or each.until <= now)
        ]


def _start_detached(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start a task whose log lines belong to no request."""
    return asyncio.create_task(work, context=Context())
