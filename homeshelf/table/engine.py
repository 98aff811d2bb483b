"""The contract of every engine: its operations, their guarantees and their errors."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from homeshelf.table.expressions import Item
from homeshelf.table.operations import Cursor, Delete, Key, Page, Put, Query, Update, Write
from homeshelf.table.schema import Table

Operation = TypeVar("Operation", bound=Callable[..., Coroutine[Any, Any, Any]])


class TableError(Exception):
    pass


class ConditionFailed(TableError):
    """The condition of a single write failed; `current` is the record that it found."""

    def __init__(self, current: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.current = current


class TransactionCancelled(TableError):
    """Conditions of a transaction failed; it holds those writes with the records they found."""

    def __init__(self, failures: Sequence[tuple[Write, Item | None]]) -> None:
        super().__init__(f"cancelled by {len(failures)} of its writes")
        self.failures = failures

    def by(self, write: Write) -> bool:
        return any(failed is write for failed, _ in self.failures)


class Unreadable(TableError):
    """A record cannot be loaded. Logs name it by a digest, because its key may be a secret."""

    def __init__(self, key: Key[Any], why: str) -> None:
        self.key, self.why = key, why
        super().__init__(f"the record {self.digest} of {key.table.name} cannot be read: {why}")

    @property
    def digest(self) -> str:
        place = f"{self.key.table.name}\n{self.key.partition}\n{self.key.sort}"
        return hashlib.sha256(place.encode(errors="surrogatepass")).hexdigest()[:16]


class Unavailable(TableError):
    """The database cannot be reached or is too busy; the caller may retry later."""


class CannotOpen(TableError):
    """The database cannot be used with these settings."""


class OlderLayout(CannotOpen):
    """The file has an older layout, and the caller may not upgrade it."""


class BadRequest(TableError):
    """The request is invalid on every engine: a mistake of the caller."""


class ItemTooLarge(BadRequest): ...


class Engine(Protocol):
    """The operations on tables of items, which behave the same on every engine.

    An expired record is absent: for reads, for conditions and for writes. Numbers are exact; whole
    numbers come back as `int`, others as `Decimal`. Keys sort by their UTF-8 bytes. A record is
    part of an index while it has both keys of that index. Reads of an index, and reads that are not
    consistent, may lag behind the writes.

    `PutInOrder` makes ids in the order of the writes. On the embedded engine that order is exact,
    because the id is made under the lock of the file; on DynamoDB the id is made just before the
    first attempt. Every change is written, refused or given up within the times of `deadlines.py`.
    A change that was refused is never written later.

    A record that cannot be decoded is never taken for absent. Reading it, or changing it under a
    condition, raises `Unreadable`. Queries and scans list its key in the `unreadable` of a page
    that is still full, and counts include it. An unconditional put or delete replaces it and
    returns None.

    DynamoDB's limits hold on every engine: 400 kB and 32 levels for a record, 2,048 bytes for a
    partition key and 1,024 for a sort key, no empty keys, 100 writes and 4 MB for a transaction,
    and 38 digits for a number. A call that exceeds one raises BadRequest and changes nothing.
    """

    consumed: Counter[str]
    """The number of calls to the database, by operation."""
    rows: int
    """The number of records that queries have examined, without those of counts."""
    reads_at_once: bool
    """True if a small read completes without leaving the event loop."""

    async def get(self, key: Key[Any], *, consistent: bool = True) -> Item | None: ...

    async def get_many(
        self, keys: Sequence[Key[Any]], *, consistent: bool = True
    ) -> list[Item | None]:
        """Return the records at up to 100 different keys, in the order of the keys."""

    async def query(self, query: Query[Any]) -> Page[Item]:
        """Return a full page of a partition, or the last one, whose `next` is None."""

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        """Return the number of records on all pages, counting no further than `at_most`."""

    async def write(self, write: Put | Update | Delete) -> Item | None:
        """Make one write and return the record that it replaced; an update requires one."""

    async def transact(self, writes: Sequence[Write]) -> None:
        """Make up to 100 writes to different keys, or none if a condition fails."""

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        """Make unconditional writes in any order; a failure may leave some of them done."""

    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        """Return records of a table in no order, for copies and checks but never for a request."""

    async def size(self) -> int:
        """Estimate the number of records in all tables, to show progress."""

    async def stamp(self) -> int | None:
        """Return a number that every write of any process changes, or None if there is none."""

    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        """Return keys in these partitions by their time of expiry; only engines with a stamp."""

    async def create_tables(self) -> list[str]: ...

    async def list_tables(self) -> list[str]: ...

    async def check_tables(self) -> list[str]:
        """Describe each difference between the existing tables and the schema."""

    async def close(self) -> None:
        """Wait for running operations and close the database."""


class InFlight:
    """Counts the running operations; closing refuses new ones and waits for these."""

    def __init__(self) -> None:
        self._closed = False
        self._count = 0
        self._idle = asyncio.Event()

    def __enter__(self) -> None:
        if self._closed:
            raise Unavailable("The database is closed.")
        self._count += 1

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if self._closed and not self._count:
            self._idle.set()

    async def close(self) -> None:
        self._closed = True
        while self._count:
            self._idle.clear()
            await self._idle.wait()


def count_in_flight(operation: Operation) -> Operation:
    @wraps(operation)
    async def counted(engine: Any, /, *arguments: Any, **named: Any) -> Any:
        with engine.in_flight:
            return await operation(engine, *arguments, **named)

    return cast("Operation", counted)
