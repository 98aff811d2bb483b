"""Live updates: one hub a process tells its listeners what changed where they listen.

A scope is a family or a shared list. Where the engine has a stamp, the hub waits for it to move
and then reads what is new in the scopes that a change names; where it has none, it reads each
scope that has listeners in turn, less often while nobody sees a page of it. It reads some seconds
again every time, because a slow commit may carry an older id, and drops what it has seen.

A listener's right is looked at when it begins, when a change says that it may be over, at the end
that it is known to have, and every half minute whatever happens.
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
from homeshelf.live.lookback import FAR_SECONDS, Lookback
from homeshelf.live.room import Room
from homeshelf.table import Database
from homeshelf.web.limits import Places

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
        self.places = Places(streams_each)
        self._db = db
        self._rooms: dict[str, Room] = {}
        self._listeners: set[Listener] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._looks: dict[str, asyncio.Task[None]] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._stirred: set[str] = set()
        """Scopes in which something changed that nobody has been told yet."""
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
        """A listener that hears all that changes from now on, after what it missed.

        One that is not `visible` is a page that nobody sees just now.
        """
        if self._closed:
            raise Unavailable(1)
        self._rooms = {
            scope: room for scope, room in self._rooms.items() if not room.is_forgettable
        }
        room = self._rooms.setdefault(scope, Room(self._db, scope))
        listener = Listener(right, visible=visible)
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
        await end(*self._tasks.values(), *self._looks.values())

    def _go_on(self) -> None:
        """Each task ends when it finds nobody listening, and the next listener begins it."""
        for work in (self._tell_for_ever, self._check_for_ever):
            task = self._tasks.get(work.__name__)
            if (task is None or task.done()) and not self._closed:
                self._tasks[work.__name__] = _alone(work())

    async def _tell_for_ever(self) -> None:
        seen: int | None = None
        self._lookback = Lookback()  # what came before, the first listener read when it came
        loop = asyncio.get_running_loop()
        while self._listeners:
            turn = loop.time()
            try:
                stamp = await self._db.engine.stamp()
                if stamp is None:
                    self._look(self._due(turn))
                else:
                    if stamp != seen:
                        await self._notice()
                    if self._clock_jumps.ask_for_a_look():
                        self._stirred |= self._rooms.keys()
                    self._look(self._stirred_rooms())
                seen, pause = stamp, ASK_SECONDS if stamp is None else STAMP_SECONDS
            except Exception as error:  # noqa: BLE001  # it must go on, whatever it was
                log.warning("listeners_wait", error=repr(error))
                pause = TROUBLE_SECONDS
            await asyncio.sleep(max(0.0, turn + pause - loop.time()))

    def _due(self, now: float) -> list[Room]:
        """The rooms to look at in this turn; those that nobody sees less often."""
        due = []
        for room in self._rooms.values():
            if room.listeners and (room.is_visible or now - room.asked_at >= HIDDEN_SECONDS):
                room.asked_at = now
                due.append(room)
        return due

    async def _notice(self) -> None:
        """What changed where, in all scopes together: one read, however many there are."""
        now = clock.now()
        found = frozenset(await recent_changes(self._db, self._lookback.start(now)))
        self._stirred |= {scope for scope, _ in found - self._known}
        self._known = found
        self._lookback.looked(now)

    def _stirred_rooms(self) -> list[Room]:
        """They stay so until they have been looked at; where nobody listens, nobody is told."""
        rooms = [self._rooms.get(scope) for scope in self._stirred]
        heard = [room for room in rooms if room is not None and room.is_heard]
        self._stirred &= {room.scope for room in heard}
        return heard

    def _look(self, rooms: Iterable[Room]) -> None:
        """Each by itself, so that one that takes long, or fails, holds up no other."""
        for room in rooms:
            if room.scope not in self._looks:
                self._stirred.discard(room.scope)
                self._looks[room.scope] = _alone(self._look_at(room))

    async def _look_at(self, room: Room) -> None:
        try:
            async with self._turns:
                await room.look()
        except Exception as error:  # noqa: BLE001  # the next turn tries again
            log.warning("listeners_wait", error=repr(error))
            self._stirred.add(room.scope)
            await asyncio.sleep(TROUBLE_SECONDS)
        finally:
            del self._looks[room.scope]

    async def _check_for_ever(self) -> None:
        while self._listeners:
            await asyncio.sleep(CHECK_TURN_SECONDS)
            try:
                if due := self._to_be_checked():
                    await check_rights(self._db, due)
            except Exception as error:  # noqa: BLE001  # it must go on, whatever it was
                log.warning("listeners_unchecked", error=repr(error))
                await asyncio.sleep(TROUBLE_SECONDS)

    def _to_be_checked(self) -> list[Listener]:
        """Also those whose right is known to end now: it may have been renewed since."""
        before = asyncio.get_running_loop().time() - CHECK_SECONDS
        now = clock.seconds()
        return [
            each
            for each in self._listeners
            if not each.ended and (each.checked_at <= before or each.until <= now)
        ]


def _alone(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """In a context of its own: what it logs belongs to no request."""
    return asyncio.create_task(work, context=Context())
