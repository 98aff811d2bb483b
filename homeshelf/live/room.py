"""The recent changes of one scope, and its listeners."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from time import monotonic

import msgspec

from homeshelf import clock
from homeshelf.coordination.changes import AHEAD_SECONDS, KEPT_SECONDS, Change, changes_since
from homeshelf.live.listener import MOST_WAITING, Listener, check_rights
from homeshelf.table import Database
from homeshelf.table.deadlines import ACKNOWLEDGED_SECONDS, CLOCKS_DIFFER_SECONDS, OVERLAP_SECONDS

FORGOTTEN_AFTER = timedelta(minutes=10)
EVENTS_KEPT = 200
OVERLAP = timedelta(seconds=OVERLAP_SECONDS)
CLOCKS_DIFFER = timedelta(seconds=CLOCKS_DIFFER_SECONDS)
KEPT = timedelta(seconds=KEPT_SECONDS)
FAR_SECONDS = AHEAD_SECONDS - CLOCKS_DIFFER_SECONDS
"""A change of the clock above this may hide new changes from the next read."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Event:
    """The text of a change for listeners; empty if it only concerns their rights."""

    text: bytes
    is_for_admins: bool

    def tell(self, listener: Listener) -> None:
        if self.text and (listener.right.is_admin or not self.is_for_admins):
            listener.tell(self.text)


class Room:
    def __init__(self, db: Database, scope: str) -> None:
        self.listeners: set[Listener] = set()
        self.scope = scope
        self.asked_at = 0.0
        self._db = db
        self._seen: dict[str, Event] = {}
        """The sent events by their ids, in the order in which listeners got them."""
        self._lookback = Lookback()
        self._turn = asyncio.Lock()

    @property
    def is_idle(self) -> bool:
        """Return whether the room has no listeners, and none is likely to resume."""
        idle = clock.now() - self._lookback.looked_at > FORGOTTEN_AFTER
        return idle and not self.listeners and not self._turn.locked()

    @property
    def is_active(self) -> bool:
        return bool(self.listeners) or self._turn.locked()

    @property
    def is_visible(self) -> bool:
        return any(listener.visible for listener in self.listeners)

    async def look(self) -> None:
        """Send new events; the next call finds changes that are too recent for this one."""
        async with self._turn:
            await self._look(consistent=False)

    async def admit(self, listener: Listener, last_event_id: str | None, since: str | None) -> None:
        """Add a listener, after sending it what it missed since an event or a moment."""
        async with self._turn:
            if not self.listeners:
                await self._skip_unheard_changes()
            await self._look(consistent=True)
            for event in await self._missed_events(last_event_id, since):
                event.tell(listener)
            self.listeners.add(listener)
        # A change that ended its right may have been read just before the listener came.
        await check_rights(self._db, [listener])

    async def _skip_unheard_changes(self) -> None:
        last = self._lookback.looked_at
        if clock.now() - last > OVERLAP:
            start = clock.lowest_ordered_id(last)
            found = await changes_since(self._db, self.scope, start, limit=MOST_WAITING)
            if len(found) == MOST_WAITING:
                self._seen.clear()
                self._lookback = Lookback()

    async def _look(self, *, consistent: bool) -> None:
        now = clock.now()
        start = clock.lowest_ordered_id(self._lookback.start(now))
        found = await changes_since(self._db, self.scope, start, consistent=consistent)
        new = [change for change in found if change.change_id not in self._seen]
        await self._check_affected_rights(new)
        for change in new:
            self._send(change.change_id, _event(change))
        is_whole = self._lookback.note_read(now)
        self._forget(clock.lowest_ordered_id(self._lookback.start(now)))
        if not is_whole:
            await self._reset_listeners()

    async def _reset_listeners(self) -> None:
        """Tell all listeners to reload, and check their rights, whose end may have been missed."""
        id_ = clock.ordered_id()
        self._send(id_, _reset(id_))
        await check_rights(self._db, self.listeners)

    def _send(self, id_: str, event: Event) -> None:
        self._seen[id_] = event
        for listener in self.listeners:
            event.tell(listener)

    async def _check_affected_rights(self, changes: list[Change]) -> None:
        """Check rights first, so that a listener without one gets no further events."""
        touched = {(change.type, change.id) for change in changes}
        doubtful = [each for each in self.listeners if not touched.isdisjoint(each.right.watched)]
        if doubtful:
            await check_rights(self._db, doubtful)

    def _forget(self, start: str) -> None:
        while len(self._seen) > EVENTS_KEPT and (oldest := next(iter(self._seen))) < start:
            del self._seen[oldest]

    async def _missed_events(self, event_id: str | None, moment_id: str | None) -> list[Event]:
        """Return the events after a known one, or else those that may be later.

        Without an event id, return the changes since the page was made.
        """
        if event_id in self._seen:
            seen = list(self._seen)
            return [self._seen[each] for each in seen[seen.index(event_id) + 1 :]]
        start = moment_id if event_id is None else event_id
        if start is None:
            return []
        if not _is_recent(start):
            return [self._reset_since()]
        if event_id is not None:
            start = clock.lowest_ordered_id(clock.moment_of(event_id) - OVERLAP)
        changes = await changes_since(self._db, self.scope, start, limit=MOST_WAITING)
        if len(changes) == MOST_WAITING:  # reloading the page is faster
            return [self._reset_since()]
        if event_id is not None and all(change.change_id != event_id for change in changes):
            return [self._reset_since()]
        return [_event(change) for change in changes if change.change_id != event_id]

    def _reset_since(self) -> Event:
        """Return a reset with the newest id, from which a client may resume."""
        announced = (id_ for id_, event in reversed(self._seen.items()) if event.text)
        return _reset(next(announced, ""))


def _reset(id_: str) -> Event:
    return Event(b"event: reset\nid: %s\ndata: {}\n\n" % id_.encode(), False)


def _event(change: Change) -> Event:
    announced = change.ids if change.is_announced else ()
    return Event(b"".join(_text(change, id_) for id_ in announced), change.is_for_admins)


def _text(change: Change, id_: str) -> bytes:
    data = _encode({"type": change.type, "id": id_, "version": change.version})
    return b"id: %s\ndata: %s\n\n" % (change.change_id.encode(), data)


def _is_recent(event_id: str) -> bool:
    try:
        made = clock.moment_of(event_id)
    except ValueError:
        return False
    now = clock.now()
    return now - KEPT < made < now + CLOCKS_DIFFER


class Lookback:
    """Remembers the time of the last read, while the clock may be set."""

    def __init__(self) -> None:
        self.looked_at = clock.now()
        self._passed = monotonic()
        self._earlier = self.looked_at
        """The time before the clock was set forward, as in the ids of changes in flight."""
        self._earlier_until = 0.0
        self._lost_until = inf
        """The time when all changes in flight that expired have arrived."""

    def start(self, now: datetime) -> datetime:
        if monotonic() >= self._earlier_until:
            self._earlier = self.looked_at
        return min(self._earlier, self.looked_at, now) - OVERLAP

    def note_read(self, now: datetime) -> bool:
        """Note a read until `now`, and return False if a change may have expired unread.

        That happens after the clock was set forward by about as long as changes are kept, and once
        more for those in flight at that time.
        """
        passed = monotonic()
        is_whole = passed < self._lost_until
        if not is_whole:
            self._lost_until = inf
        since = timedelta(seconds=passed - self._passed)
        if now - self.looked_at > since + CLOCKS_DIFFER:
            self._earlier = min(self._earlier, self.looked_at)
            self._earlier_until = passed + OVERLAP_SECONDS
            if now - self.looked_at >= KEPT - OVERLAP:
                is_whole, self._lost_until = False, passed + ACKNOWLEDGED_SECONDS
        self.looked_at, self._passed = now, passed
        return is_whole
