"""Records in, records out, on any engine.

A record may be there that is none of the kind that was asked for: of an older shape, or written by
something else. Lists go on without it; whatever decides does not, and raises `Unreadable`. Either
way it is logged by a digest of its key, and counted.
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
from homeshelf.table.deadlines import SETTLED_SECONDS, given_up_after
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
"""A table's name and a partition in it."""
Notify = Callable[[str, Item], None]
ExtraWrites = Callable[[Any], Sequence[Write]]
"""Makes what else is written in a transaction, of its result."""

CLEARED_AT_ONCE = 500
SCANNED_AT_ONCE = 500

log = structlog.get_logger()


class Database:
    def __init__(self, engine: Engine, settings: Settings = DEFAULTS) -> None:
        self.engine = engine
        self.settings = settings
        """What was chosen for this household, for rules that depend on it."""
        self.on_unreadable: Callable[[Unreadable], None] = lambda _: None
        """Called for each record that cannot be read."""
        self.joins = Joins(self)
        self.extra_writes: ExtraWrites = _no_extra_writes
        self._locks: Locks[Key[Any]] = Locks()
        self._watchers: list[tuple[Mapping[PartitionKey, str], Notify]] = []

    async def get(self, key: Key[R], *, consistent: bool = True) -> R | None:
        try:
            item = await self.engine.get(key, consistent=consistent)
            return None if item is None else loaded(key, item)
        except Unreadable as unreadable:
            self._note(unreadable)
            raise

    async def get_many(self, keys: Sequence[Key[R]], *, skip: bool = False) -> list[R | None]:
        """The records at any number of keys, in their order.

        With `skip` one that cannot be read is None, as if it were not there: for lists alone.
        """
        found: list[R | None] = []
        for first in range(0, len(keys), KEYS):
            chunk = keys[first : first + KEYS]
            try:
                items = await self.engine.get_many(chunk)
                found += [i and loaded(k, i) for k, i in zip(chunk, items, strict=True)]  # type: ignore[misc]  # an item is true
            except Unreadable as unreadable:
                if not skip:
                    self._note(unreadable)
                    raise
                for key in chunk:
                    one = await self._get_or_skip(key)
                    found.append(one)
        return found

    async def get_existing(self, keys: Iterable[Key[R]]) -> list[R]:
        """Return the records that are there at the keys, each once, and can be read: for lists."""
        found = await self.get_many(list(dict.fromkeys(keys)), skip=True)
        return [record for record in found if record is not None]

    async def query(self, query: Query[R], *, skip: bool = True) -> Page[R]:
        """A page, full unless it is the last; without `skip` all of it must be readable."""
        found: list[R] = []
        asked = minding_predicate(query)
        while True:
            page = await self.engine.query(asked)
            found += self._loaded(query, page, skip)
            if query.limit is None or page.next is None or len(found) == query.limit:
                return Page(found, page.next)
            asked = asked.page(query.limit - len(found), page.next)

    async def all(self, query: Query[R], *, skip: bool = True) -> Sequence[R]:
        return (await self.query(query, skip=skip)).items

    async def first(self, query: Query[R]) -> R | None:
        return next(iter((await self.query(query.page(1))).items), None)

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        """Those that cannot be read are counted too."""
        return await self.engine.count(minding_predicate(query), at_most)

    async def scan(self, table: Table, start: Cursor | None = None) -> AsyncIterator[Page[Item]]:
        """Yield all records of a table, page by page: for commands and checks alone."""
        while True:
            page = await self.engine.scan(table, SCANNED_AT_ONCE, start)
            yield page
            if (start := page.next) is None:
                return

    async def put(self, record: Record, when: Condition | None = None) -> None:
        await self.write(record.put(when))

    async def write(self, write: Put | Update | Delete) -> None:
        """One write by itself; several go through `transact`."""
        match write:
            case Put():
                await self._notifying([write], self.engine.put(write))
            case Update():
                await self.engine.update(write)
            case Delete():
                await self.engine.delete(write)

    async def transact(self, *writes: Write) -> None:
        """All of the writes or none; one that cancels them may raise what that means."""
        if not writes:
            return
        try:
            await self.engine.transact(writes)
        except TransactionCancelled as cancelled:
            for write, found in cancelled.failures:
                await write.refused(found)
            raise
        except Unavailable:  # it may have been written
            self._notify(writes)
            raise
        self._notify(writes)

    def under(self, settings: Settings) -> "Database":
        unit = copy(self)
        unit.settings = settings
        return unit

    def with_extra_writes(self, extra_writes: ExtraWrites) -> "Database":
        """Return a database whose first commit has these writes too, and no later one."""
        unit = copy(self)
        unit.extra_writes = extra_writes
        return unit

    def take_extra_writes(self) -> ExtraWrites:
        """Return what makes the extra writes, for a caller who does not commit them."""
        extra_writes, self.extra_writes = self.extra_writes, _no_extra_writes
        return extra_writes

    async def commit(self, result: Any, writes: Sequence[Write]) -> None:
        """Write a transaction that has this result, and the extra writes with it."""
        await self.transact(*self.extra_writes(result), *writes)
        self.extra_writes = _no_extra_writes

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        await self._notifying(writes, self.engine.batch(writes))

    @contextmanager
    def watching(self, partitions: Mapping[PartitionKey, str], notify: Notify) -> Iterator[None]:
        """Call `notify` for what this process puts into some partitions, each by its name here.

        It does not hear of what another process puts there.
        """
        self._watchers.append((partitions, notify))
        try:
            yield
        finally:
            self._watchers.remove((partitions, notify))

    async def clear(self, query: Query[Any]) -> None:
        """Delete all that a query finds, however much that is: not all or nothing.

        Also what cannot be read.
        """
        while True:
            page = await self.engine.query(query.up_to_date().page(CLEARED_AT_ONCE))
            keys = {*(key_in(query.table, item) for item in page.items), *page.unreadable}
            if not keys:
                return
            await self.batch([Delete(key) for key in keys])

    async def change(self, key: Key[S], rule: Callable[[S], S]) -> S | None:
        """Change a record by a rule, also while others change it.

        Returns the record as it became, or None where there is none. A rule that returns what it
        was given writes nothing.
        """

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
        """Repeat `attempt` until nobody came in between.

        It reads, decides, and writes under what it read; a condition that fails means that somebody
        was quicker, and it is called again. What is no race it must raise as another error. Within
        this process those who change the same record queue, so that only processes race. It is
        given up some seconds after the moment of asking, the time in the queue included.

        Where `unless` is done while it queues, that is the result, and nothing is attempted.
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
        """Begin a block in which nobody else in this process changes the record.

        The turn has not come where `unless` was done while it queued.
        """
        with given_up_after(SETTLED_SECONDS) as ends:
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
        """Carry out writes and notify the watchers, also of what may have been written."""
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

    def _loaded(self, query: Query[R], page: Page[Item], skip: bool) -> list[R]:
        if not page.unreadable:
            with suppress(ValueError):  # looked for one by one below
                return [query.load(item) for item in page.items]
        found: list[R] = []
        lost = [Unreadable(key, "its values are none of ours") for key in page.unreadable]
        for item in page.items:
            try:
                found.append(loaded(query, item))
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
    """The engine's module is imported only when it is the one: the other's libraries stay out."""
    match at:
        case SqliteAt(path):
            from homeshelf.table.sqlite.engine import Sqlite  # noqa: PLC0415

            return Database(Sqlite(path, to_read=to_read, upgrade=upgrade))
        case DynamoDBAt(region, endpoint, prefix, prefixes):
            from homeshelf.table.dynamodb.engine import DynamoDB  # noqa: PLC0415

            return Database(DynamoDB(region, endpoint, prefix, prefixes))


def loaded(asked: Key[R] | Query[R], item: Item) -> R:
    """The record; `Unreadable` where the item is of another shape."""
    try:
        return asked.load(item)
    except ValueError as error:
        raise Unreadable(key_in(asked.table, item), _why(error)) from None


def minding_predicate(query: Query[R]) -> Query[R]:
    """A query whose predicate lets unreadable records through, so that loading reports them."""
    predicate = query.predicate
    if predicate is None:
        return query

    def minding(item: Item) -> bool:
        try:
            return predicate(item)
        except Exception:
            try:
                query.load(item)
            except ValueError:
                return True
            raise

    return query.matching(minding)


def _no_extra_writes(_result: Any) -> Sequence[Write]:
    return ()


def _why(error: ValueError) -> str:
    """Which attributes are wrong and how, and nothing of what is in them."""
    if not isinstance(error, ValidationError):
        return "its key is of another form"
    wrong = error.errors(include_url=False, include_context=False, include_input=False)
    return ", ".join(sorted({f"{each['loc'][0]} ({each['type']})" for each in wrong}))
