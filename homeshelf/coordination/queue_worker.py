"""The worker of a queue.

It is notified of the records that its own process adds. It finds those of other processes when the
engine's stamp changes, or else by looking at one shard after the other, which costs less than one
read unit a second. It takes the lease of a shard only when a record is due there.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from itertools import cycle
from time import monotonic
from typing import Generic, TypeVar

import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.coordination.clock_jumps import ClockJumps
from homeshelf.coordination.leases import lease_while_held
from homeshelf.coordination.work_queue import (
    FORMER,
    SHARDS,
    UNAVAILABLE_ERRORS,
    Entry,
    QueuedRecord,
    QueueReader,
    WorkQueue,
)
from homeshelf.table import Database, Item, Key
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS

EVERY_SECONDS = 1.25
"""The pause between checks; two queues cost 0.8 units a second and find old work within 22 s."""
FIRST_SECONDS = 0.5
"""The delay of the first look, because a new process should answer requests first."""
FAILED_SECONDS = 60.0
PLACES = (*SHARDS, FORMER)

R = TypeVar("R", bound=QueuedRecord)
log = structlog.get_logger()


class QueueWorker(Generic[R]):
    def __init__(
        self,
        db: Database,
        queue: WorkQueue[R],
        attend: Callable[[R], Awaitable[object]],
        *,
        every: float = EVERY_SECONDS,
        at_once: int = len(SHARDS),
        may_begin: Callable[[], bool] = lambda: True,
    ) -> None:
        """Process each record by `attend`, in up to `at_once` shards at a time."""
        self._db = db
        self._queue = queue
        self._attend = attend
        self._every = every
        self._at_once = at_once
        self._may_begin = may_begin
        self._holder = clock.new_id()
        self._reader = QueueReader(db, queue)
        self._schedule = Schedule()
        self._turns: dict[str, asyncio.Task[None]] = {}
        self._attended: dict[str, set[Key[Item]]] = {}
        self._stopping = False
        self._wakeup = asyncio.Event()
        self._rotation = cycle(PLACES)
        self._looks_at = 0.0
        self._stamp: int | None = None
        self._has_looked = False
        self._clock_jumps = ClockJumps(CLOCKS_DIFFER_SECONDS, back_only=True)
        self._unchecked = set(SHARDS)
        """The shards whose records may be due too late, because the clock was ahead."""

    async def work(self, stop: asyncio.Event) -> None:
        stopping = asyncio.create_task(self._stop_when_set(stop))
        self._looks_at = monotonic() + min(self._every, FIRST_SECONDS)
        try:
            with self._db.watching(self._queue.partitions(), self._on_put):
                while not self._stopping:
                    await self._check_and_start()
                    await self._pause()
            await asyncio.gather(*self._turns.values())
        finally:
            await end(stopping, *self._turns.values())

    async def _stop_when_set(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._stopping = True
        self._wakeup.set()

    def _on_put(self, shard: str, item: Item) -> None:
        self._clock_jumps.watch()  # the clock may be corrected before the next look
        self._schedule.expect(shard, str(item.get("dueAt")))
        self._wakeup.set()

    async def _check_and_start(self) -> None:
        try:
            if monotonic() >= self._looks_at:
                self._looks_at = monotonic() + self._every
                await self._find_work()
            self._start_shards()
        except Exception as error:  # noqa: BLE001  # nothing that goes wrong ends the work
            log.warning("queue_waits", queue=self._queue.name, error=repr(error))

    async def _find_work(self) -> None:
        """Look for records of other processes: in all shards first, then as the engine allows."""
        if self._clock_jumps.take_due_look():
            self._unchecked = set(SHARDS)
        stamp = await self._db.engine.stamp()
        if not self._has_looked or stamp != self._stamp:
            places = PLACES
        else:
            rotated = (next(self._rotation),) if stamp is None else ()
            places = (*rotated, *sorted(self._unchecked))
        for place in places:
            if self._stopping:
                return
            if place not in self._turns:
                await self._check_shard(place)
        self._stamp, self._has_looked = stamp, True

    async def _check_shard(self, place: str) -> None:
        try:
            if place in self._unchecked:
                await self._reader.bring_forward(place)
            if self._stopping:
                return
            first = await self._reader.first(place, consistent=False)
        except UNAVAILABLE_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001  # the other shards can still be read
            log.warning("shard_not_read", queue=self._queue.name, shard=place, error=repr(error))
            self._schedule.try_again(place, FAILED_SECONDS)
        else:
            if first is not None:
                self._schedule.expect(place, NOW if place == FORMER else first.record.due_at)
        self._unchecked.discard(place)

    def _start_shards(self) -> None:
        for place in self._schedule.ready() if self._may_begin() else ():
            if len(self._turns) >= self._at_once:
                return
            if place not in self._turns:
                self._schedule.take(place)
                self._turns[place] = asyncio.create_task(self._process_shard(place))

    async def _pause(self) -> None:
        seconds = self._looks_at - monotonic()
        if self._may_begin() and len(self._turns) < self._at_once:
            seconds = min(seconds, self._schedule.seconds())
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wakeup.wait()
        self._wakeup.clear()

    async def _process_shard(self, place: str) -> None:
        try:
            if await self._is_due(place):
                await self._process_due(place)
        except Exception as error:  # noqa: BLE001  # nothing that goes wrong ends the work
            log.warning("queue_waits", queue=self._queue.name, shard=place, error=repr(error))
            again = self._every if isinstance(error, UNAVAILABLE_ERRORS) else FAILED_SECONDS
            self._schedule.try_again(place, again)
        finally:
            if (seconds := self._reader.seconds_aside(place)) is not None:
                self._schedule.try_again(place, seconds)
            del self._turns[place]
            self._wakeup.set()

    async def _is_due(self, place: str) -> bool:
        attended = self._attended.pop(place, set())
        while first := await self._reader.first(place, consistent=True):
            if first.key not in attended:
                break
            self._reader.set_aside(first, self._every)
        if first is None:
            return False
        if place == FORMER or first.record.due_at <= clock.timestamp():
            return True
        self._schedule.expect(place, first.record.due_at)
        return False

    async def _process_due(self, place: str) -> None:
        async with lease_while_held(self._db, self._queue.lease(place), self._holder) as lease:
            if lease is None:
                self._schedule.try_again(place, self._every)
                return
            attended = self._attended[place] = set()
            for entry in await self._reader.due(place, clock.timestamp()):
                if lease.lost or self._stopping or not self._may_begin():
                    break
                attended.add(entry.key)
                await self._process(place, entry)
        if not self._may_begin():  # until then, no record is begun a second time
            attended.clear()
        self._schedule.expect(place, NOW)

    async def _process(self, place: str, entry: Entry[R]) -> None:
        try:
            if place == FORMER:
                await self._reader.replace(entry.key, entry.record)
            else:
                await self._attend(entry.record)
        except UNAVAILABLE_ERRORS:
            raise
        except (Exception, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            log.warning("record_failed", queue=self._queue.name, shard=place, error=repr(error))
            self._reader.set_aside(entry, FAILED_SECONDS)


NOW = ""


class Schedule:
    """The times when a worker turns to each shard."""

    def __init__(self) -> None:
        self._due: dict[str, str] = {}
        self._again: dict[str, float] = {}

    def expect(self, shard: str, due_at: str) -> None:
        self._due[shard] = min(due_at, self._due.get(shard, due_at))

    def try_again(self, shard: str, seconds: float) -> None:
        """Retry after some seconds, even if the clock is set meanwhile."""
        at = monotonic() + seconds
        self._again[shard] = min(at, self._again.get(shard, at))

    def ready(self) -> list[str]:
        now, time = clock.timestamp(), monotonic()
        due = {shard: at for shard, at in self._due.items() if at <= now}
        found = due | {shard: NOW for shard, at in self._again.items() if at <= time}
        return sorted(found, key=found.__getitem__)

    def take(self, shard: str) -> None:
        self._due.pop(shard, None)
        self._again.pop(shard, None)

    def seconds(self) -> float:
        now, time = clock.now(), monotonic()
        waits = [_seconds_until(at, now) for at in self._due.values()]
        waits += [at - time for at in self._again.values()]
        return max(0.0, min(waits, default=24 * 3600.0))


def _seconds_until(due_at: str, now: datetime) -> float:
    try:
        return (datetime.fromisoformat(due_at or clock.timestamp(now)) - now).total_seconds()
    except ValueError:  # a text that is no time never comes due
        return 24 * 3600.0
