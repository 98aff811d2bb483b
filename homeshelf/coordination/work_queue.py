"""Queues in shards; a record that cannot be read, processed or postponed is set aside."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Generic, TypeVar
from zlib import crc32

import structlog

from homeshelf import clock
from homeshelf.table import (
    HELPER,
    CannotOpen,
    Database,
    Delete,
    Item,
    Key,
    PartitionKey,
    Query,
    Record,
    Sparse,
    TransactionCancelled,
    Unavailable,
    exists,
    key_in,
)

SHARDS = tuple(f"{number:02}" for number in range(16))
"""The partitions of a queue, because one would be too busy; a record's id selects its shard."""


def shard_of(id_: str) -> str:
    """Return the shard of an id; stored keys depend on it."""
    return SHARDS[crc32(id_.encode()) % len(SHARDS)]


FORMER = "former"
"""The single partition that a queue had in earlier versions."""
AT_A_TIME = 25
UNREADABLE_SECONDS = 600.0
UNAVAILABLE_ERRORS = (Unavailable, CannotOpen)

log = structlog.get_logger()


class QueuedRecord(Record):
    table = HELPER

    due_at: str
    not_before: Sparse[str] = None
    """The chosen date; a record without one is due at once or after a pause."""

    @property
    def date(self) -> str | None:
        return self.not_before

    @property
    def longest_pause(self) -> timedelta:
        """Return the longest possible wait of a record without a date."""
        raise NotImplementedError

    def with_corrected_due_date(self: "R", now: datetime) -> "R":
        """Make it due now, or on its date, if a clock that was ahead made it due too late."""
        date = self.date or ""
        if self.due_at <= max(clock.timestamp(now + self.longest_pause), date):
            return self
        return self.changed(due_at=max(clock.timestamp(now), date))


R = TypeVar("R", bound=QueuedRecord)


@dataclass(frozen=True)
class WorkQueue(Generic[R]):
    name: str
    former: str
    waiting: Callable[..., Query[R]]
    """Returns the query of a shard by due time: `(shard, until, since=...)`."""

    def query(self, shard: str, until: str | None = None, *, since: str | None = None) -> Query[R]:
        if shard == FORMER:
            return replace(self.waiting(SHARDS[0]), partition=self.former)
        return self.waiting(shard, until, since=since)

    def partitions(self) -> Mapping[PartitionKey, str]:
        queries = {shard: self.query(shard) for shard in SHARDS}
        return {(query.table.name, query.partition): shard for shard, query in queries.items()}

    def lease(self, shard: str) -> str:
        """Return the name of the lease; the former partition keeps the name from older versions."""
        return self.name if shard == FORMER else f"{self.name}-{shard}"


@dataclass(frozen=True)
class Entry(Generic[R]):
    key: Key[Item]
    record: R


class QueueReader(Generic[R]):
    def __init__(self, db: Database, queue: WorkQueue[R]) -> None:
        self._db = db
        self._queue = queue
        self._aside: dict[Key[Item], float] = {}

    async def first(self, shard: str, *, consistent: bool) -> Entry[R] | None:
        found = await self._read(replace(self._queue.query(shard), consistent=consistent), 1)
        return found[0] if found else None

    async def due(self, shard: str, now: str) -> list[Entry[R]]:
        """Return a few due records, the longest due first; any records of the former partition."""
        return await self._read(self._queue.query(shard, now).up_to_date(), AT_A_TIME)

    async def bring_forward(self, shard: str) -> None:
        """Make records due that wait too long because the clock was ahead."""
        now = clock.now()
        query = self._queue.query(shard, since=clock.timestamp(now)).up_to_date()
        for item in await self._db.all(_of_items(query)):  # including those that were set aside
            try:
                record = query.load(item)
                due = record.with_corrected_due_date(now)
                if due is not record:
                    await self.replace(key_in(query.table, item), due)
            except UNAVAILABLE_ERRORS:
                raise
            except Exception as error:  # noqa: BLE001  # the others wait too long as well
                kind = type(error).__name__  # the text of the error may quote the record
                log.warning("not_brought_forward", queue=self._queue.name, shard=shard, error=kind)

    async def replace(self, key: Key[Item], record: R) -> None:
        with suppress(TransactionCancelled):  # another worker has moved or processed it
            await self._db.transact(Delete(key, exists), record.put())

    def set_aside(self, entry: Entry[R], seconds: float) -> None:
        self._aside[entry.key] = monotonic() + seconds

    def seconds_aside(self, shard: str) -> float | None:
        """Return the seconds until a record that was set aside is retried, or None."""
        partition = self._queue.query(shard).partition
        until = [at for key, at in self._aside.items() if key.partition == partition]
        return max(0.0, min(until) - monotonic()) if until else None

    async def _read(self, query: Query[R], limit: int) -> list[Entry[R]]:
        now = monotonic()
        self._aside = {key: until for key, until in self._aside.items() if until > now}
        items = _of_items(query)
        page = await self._db.query(items.page(limit))
        while True:
            found = [entry for item in page.items if (entry := self._entry(query, item))]
            if found or page.next is None:
                return found
            page = await self._db.query(items.page(AT_A_TIME, page.next))

    def _entry(self, query: Query[R], item: Item) -> Entry[R] | None:
        key = key_in(query.table, item)
        if key in self._aside:
            return None
        try:
            return Entry(key, query.load(item))
        except Exception as error:  # noqa: BLE001  # whatever it is, others wait behind it
            digest = hashlib.sha256(f"{key.partition} {key.sort}".encode()).hexdigest()
            kind = type(error).__name__  # the text of the error may quote the record
            log.warning("cannot_be_read", queue=self._queue.name, key=digest[:16], error=kind)
            self._aside[key] = monotonic() + UNREADABLE_SECONDS
            return None


def _of_items(query: Query[Any]) -> Query[Item]:
    """Query items instead of records, because some may be unreadable."""
    return replace(query, load=lambda item: item)
