"""The database: reads and writes records on any engine, and retries conflicting changes.

Lists skip records that cannot be read. Reads that decide something raise `Unreadable` instead.
"""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from copy import copy
from time import monotonic
from typing import Any, TypeVar

import structlog
from pydantic import ValidationError

from homeshelf.config.addresses import DynamoDBAt, SqliteAt
from homeshelf.config.settings import DEFAULTS, Settings
from homeshelf.table.deadlines import CONFLICT_SECONDS, time_limit
from homeshelf.table.engine import (
    ConditionFailed,
    Engine,
    TransactionCancelled,
    Unavailable,
    Unreadable,
)
from homeshelf.table.expressions import Condition, Item
from homeshelf.table.limits import KEYS
from homeshelf.table.operations import (
    Cursor,
    Delete,
    Key,
    KeyValue,
    Page,
    Put,
    Query,
    Update,
    Write,
    key_in,
)
from homeshelf.table.queues import CROWDED, Joins, Locks, Turn
from homeshelf.table.record import Record
from homeshelf.table.schema import Table

R = TypeVar("R")
S = TypeVar("S", bound=Record)
T = TypeVar("T")

PartitionKey = tuple[str, KeyValue]
Notify = Callable[[str, Item], None]
ExtraWrites = Callable[[Any], Sequence[Write]]
"""Makes more writes for a transaction from its result, such as its stored response."""

CLEARED_AT_ONCE = 500
SCANNED_AT_ONCE = 500

log = structlog.get_logger()


class Database:
    def __init__(self, engine: Engine, settings: Settings = DEFAULTS) -> None:
        self.engine = engine
        self.settings = settings
        self.on_unreadable: Callable[[Unreadable], None] = lambda _: None
        self.joins = Joins(self)
        self.extra_writes: ExtraWrites = _no_extra_writes
        self._locks: Locks[Key[Any]] = Locks()
        self._watchers: list[tuple[Mapping[PartitionKey, str], Notify]] = []

    async def get(self, key: Key[R], *, consistent: bool = True) -> R | None:
        try:
            item = await self.engine.get(key, consistent=consistent)
            return None if item is None else load_item(key, item)
        except Unreadable as unreadable:
            self._note(unreadable)
            raise

    async def get_many(self, keys: Sequence[Key[R]], *, skip: bool = False) -> list[R | None]:
        """Return the records in the order of the keys; with `skip`, None for unreadable ones."""
        found: list[R | None] = []
        for first in range(0, len(keys), KEYS):
            chunk = keys[first : first + KEYS]
            try:
                items = await self.engine.get_many(chunk)
                found += [i and load_item(k, i) for k, i in zip(chunk, items, strict=True)]  # type: ignore[misc]  # an item is true
            except Unreadable as unreadable:
                if not skip:
                    self._note(unreadable)
                    raise
                found += [await self._get_or_skip(key) for key in chunk]
        return found

    async def get_existing(self, keys: Iterable[Key[R]]) -> list[R]:
        found = await self.get_many(list(dict.fromkeys(keys)), skip=True)
        return [record for record in found if record is not None]

    async def query(self, query: Query[R], *, skip: bool = True) -> Page[R]:
        """Return a full page, or the last one; without `skip`, raise if a record is unreadable."""
        found: list[R] = []
        asked = tolerate_unreadable(query)
        while True:
            page = await self.engine.query(asked)
            found += self._load_page(query, page, skip)
            if query.limit is None or page.next is None or len(found) == query.limit:
                return Page(found, page.next)
            asked = asked.page(query.limit - len(found), page.next)

    async def all(self, query: Query[R], *, skip: bool = True) -> Sequence[R]:
        return (await self.query(query, skip=skip)).items

    async def first(self, query: Query[R]) -> R | None:
        return next(iter((await self.query(query.page(1))).items), None)

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        return await self.engine.count(tolerate_unreadable(query), at_most)

    async def scan(self, table: Table, start: Cursor | None = None) -> AsyncIterator[Page[Item]]:
        while True:
            page = await self.engine.scan(table, SCANNED_AT_ONCE, start)
            yield page
            if (start := page.next) is None:
                return

    async def put(self, record: Record, when: Condition | None = None) -> None:
        await self.write(record.put(when))

    async def write(self, write: Put | Update | Delete) -> None:
        await self._notifying([write], self.engine.write(write))

    async def transact(self, *writes: Write) -> None:
        """Make all writes or none; raise the refusal of a failed write, if it has one."""
        if not writes:
            return
        try:
            await self._notifying(writes, self.engine.transact(writes))
        except TransactionCancelled as cancelled:
            for write, found in cancelled.failures:
                await write.refused(found)
            raise

    def under(self, settings: Settings) -> "Database":
        unit = copy(self)
        unit.settings = settings
        return unit

    def with_extra_writes(self, extra_writes: ExtraWrites) -> "Database":
        """Return a database that adds these writes to its first transaction."""
        unit = copy(self)
        unit.extra_writes = extra_writes
        return unit

    def take_extra_writes(self) -> ExtraWrites:
        """Take the extra writes, for a caller that adds them to a later transaction itself."""
        extra_writes, self.extra_writes = self.extra_writes, _no_extra_writes
        return extra_writes

    async def commit(self, result: Any, writes: Sequence[Write]) -> None:
        await self.transact(*self.extra_writes(result), *writes)
        self.extra_writes = _no_extra_writes

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        await self._notifying(writes, self.engine.batch(writes))

    @contextmanager
    def watching(self, partitions: Mapping[PartitionKey, str], notify: Notify) -> Iterator[None]:
        """Call `notify` for every put of this process, and of no other, into these partitions."""
        self._watchers.append((partitions, notify))
        try:
            yield
        finally:
            self._watchers.remove((partitions, notify))

    async def clear(self, query: Query[Any]) -> None:
        """Delete all records of a query, unreadable ones included, in several batches."""
        while True:
            page = await self.engine.query(query.up_to_date().page(CLEARED_AT_ONCE))
            keys = {*(key_in(query.table, item) for item in page.items), *page.unreadable}
            if not keys:
                return
            await self.batch([Delete(key) for key in keys])

    async def change(self, key: Key[S], rule: Callable[[S], S]) -> S | None:
        """Change a record by a rule, retrying on conflict; return None if there is none."""

        async def attempt() -> S | None:
            old = await self.get(key)
            if old is None or (new := rule(old)) is old:
                return old
            await self.write(new.replacing(old))
            return new

        return await self.retry_with_lock(key, attempt)

    async def retry_with_lock(
        self,
        key: Key[Any],
        attempt: Callable[[], Awaitable[T]],
        *,
        unless: "asyncio.Future[T] | None" = None,
    ) -> T:
        """Repeat `attempt` after conflicts until the deadline, holding this process's lock on the
        record.

        If `unless` is done while the caller waits for the lock, return its result instead.
        """
        async with self.turn(key, unless) as turn:
            if unless is not None and not turn.has_come:
                return unless.result()
            while True:
                try:
                    return await attempt()
                except (ConditionFailed, TransactionCancelled):
                    await turn.pause()

    @asynccontextmanager
    async def turn(
        self, key: Key[Any], unless: "asyncio.Future[Any] | None" = None
    ) -> AsyncIterator[Turn]:
        """Hold the lock on a record, so that no other task of this process changes it."""
        with time_limit(CONFLICT_SECONDS) as ends:
            late = Unavailable(CROWDED)
            has_come = await self._locks.acquire(key, ends - monotonic(), late, unless)
            try:
                yield Turn(ends, has_come=has_come)
            finally:
                if has_come:
                    self._locks.release(key)

    async def close(self) -> None:
        await self.engine.close()

    async def _notifying(self, writes: Sequence[Write], sending: Awaitable[object]) -> None:
        """Send writes and notify the watchers, even if the outcome is unknown."""
        try:
            await sending
        except Unavailable:
            self._notify(writes)
            raise
        self._notify(writes)

    def _notify(self, writes: Sequence[Write]) -> None:
        for write in writes if self._watchers else ():
            if isinstance(write, Put):
                place = write.table.name, write.item[write.table.partition]
                for partitions, notify in self._watchers:
                    if name := partitions.get(place):  # type: ignore[arg-type]  # a key
                        notify(name, write.item)

    async def _get_or_skip(self, key: Key[R]) -> R | None:
        try:
            return await self.get(key)
        except Unreadable:
            return None

    def _load_page(self, query: Query[R], page: Page[Item], skip: bool) -> list[R]:
        if not page.unreadable:
            with suppress(ValueError):  # the records are loaded one by one below
                return [query.load(item) for item in page.items]
        found: list[R] = []
        lost = [Unreadable(key, "its values are none of ours") for key in page.unreadable]
        for item in page.items:
            try:
                found.append(load_item(query, item))
            except Unreadable as unreadable:
                lost.append(unreadable)
        for each in lost:
            self._note(each)
            if not skip:
                raise each
        return found

    def _note(self, unreadable: Unreadable) -> None:
        key, why = unreadable.key, unreadable.why
        log.error("record_unreadable", table=key.table.name, key=unreadable.digest, why=why)
        self.on_unreadable(unreadable)


def open_database(
    at: SqliteAt | DynamoDBAt, *, to_read: bool = False, upgrade: bool = False
) -> Database:
    """Open the database, importing only the engine that is used."""
    match at:
        case SqliteAt(path):
            from homeshelf.table.sqlite.engine import Sqlite  # noqa: PLC0415

            return Database(Sqlite(path, to_read=to_read, upgrade=upgrade))
        case DynamoDBAt(region, endpoint, prefix, prefixes):
            from homeshelf.table.dynamodb.engine import DynamoDB  # noqa: PLC0415

            return Database(DynamoDB(region, endpoint, prefix, prefixes))


def load_item(asked: Key[R] | Query[R], item: Item) -> R:
    try:
        return asked.load(item)
    except ValueError as error:
        raise Unreadable(key_in(asked.table, item), _describe_errors(error)) from None


def tolerate_unreadable(query: Query[R]) -> Query[R]:
    """Let unreadable records pass the predicate, so that loading them reports them."""
    predicate = query.predicate
    if predicate is None:
        return query

    def tolerant_predicate(item: Item) -> bool:
        try:
            return predicate(item)
        except Exception:
            try:
                query.load(item)
            except ValueError:
                return True
            raise

    return query.matching(tolerant_predicate)


def _no_extra_writes(_result: Any) -> Sequence[Write]:
    return ()


def _describe_errors(error: ValueError) -> str:
    """Name the invalid attributes and their errors, but never their values."""
    if not isinstance(error, ValidationError):
        return "its key is of another form"
    wrong = error.errors(include_url=False, include_context=False, include_input=False)
    return ", ".join(sorted({f"{each['loc'][0]} ({each['type']})" for each in wrong}))
