"""The contract that every engine keeps, and its errors."""

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
    """The condition of a single write failed, because of this record."""

    def __init__(self, current: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.current = current


class TransactionCancelled(TableError):
    """The conditions of these writes failed, because of the records that they found."""

    def __init__(self, failures: Sequence[tuple[Write, Item | None]]) -> None:
        super().__init__(f"cancelled by {len(failures)} of its writes")
        self.failures = failures

    def by(self, write: Write) -> bool:
        return any(failed is write for failed, _ in self.failures)


class Unreadable(TableError):
    """No such record can be loaded. It is logged by a digest of its key, which may be a secret."""

    def __init__(self, key: Key[Any], why: str) -> None:
        self.key, self.why = key, why
        super().__init__(f"the record {self.digest} of {key.table.name} cannot be read: {why}")

    @property
    def digest(self) -> str:
        place = f"{self.key.table.name}\n{self.key.partition}\n{self.key.sort}"
        return hashlib.sha256(place.encode(errors="surrogatepass")).hexdigest()[:16]


class Unavailable(TableError):
    """The database cannot be reached or is too busy: try again later."""


class CannotOpen(TableError):
    """The database cannot be used as it is configured."""


class OlderLayout(CannotOpen):
    """The file has an earlier layout that the caller may not upgrade."""


class BadRequest(TableError):
    """The caller's mistake, which would fail on every engine."""


class ItemTooLarge(BadRequest):
    """A record above 400 kB."""


class Engine(Protocol):
    """Tables of items, each found by its key.

    An expired record is absent for reads, conditions and writes. Numbers are exact: whole ones come
    back as `int`, others as `Decimal`. Keys sort by the bytes of their UTF-8. A record is in an
    index while it has both of its keys. Index reads and reads that are not consistent may lag.

    The ids of `PutInOrder` follow the order of writing: exactly on the embedded engine, which makes
    them under the lock of its file; the DynamoDB engine makes them just before the first attempt. A
    change is written, refused or given up within the seconds of `deadlines.py`; one that was
    refused is never written later.

    A record that cannot be decoded, with a foreign type or a damaged text, is never taken for
    absent: to read it, or to change it under a condition, is `Unreadable`. Queries and scans name
    it in the `unreadable` of their page, which is full all the same; counts include it.
    Unconditional puts and deletes replace it, and return None for it.

    The limits are DynamoDB's on every engine: 400 kB a record and 32 levels in it, 2,048 bytes a
    partition key and 1,024 a sort key, no empty key, 100 writes and 4 MB a transaction, 38 digits
    a number. What breaks one is a BadRequest, and nothing has changed.
    """

    consumed: Counter[str]
    """How many operations of each name were sent to the database."""
    rows: int
    """How many records queries have looked at; counts are not included."""
    reads_at_once: bool
    """Whether a read of few records completes without waiting."""

    async def get(self, key: Key[Any], *, consistent: bool = True) -> Item | None:
        """Return the record at this key."""

    async def get_many(
        self, keys: Sequence[Key[Any]], *, consistent: bool = True
    ) -> list[Item | None]:
        """Return the records at up to 100 different keys, in the order of the keys."""

    async def query(self, query: Query[Any]) -> Page[Item]:
        """Return a page of a partition, full unless it is the last, where `next` is None."""

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        """Return the number of records on all pages, counting no further than `at_most`."""

    async def write(self, write: Put | Update | Delete) -> Item | None:
        """Make a single write, and return the record that was there before; an update needs one."""

    async def transact(self, writes: Sequence[Write]) -> None:
        """Make up to 100 writes to different keys, or none; a failed condition is raised first."""

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        """Make unconditional writes in any order; after a failure some of them are done."""

    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        """Return records of a table in no order: for copies and checks, never a request."""

    async def size(self) -> int:
        """Return about how many records all tables have, for progress."""

    async def stamp(self) -> int | None:
        """Return a number that any process's write changes, at almost no cost; None if unknown."""

    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        """Return the keys in these partitions that expire in between; only engines with a stamp."""

    async def create_tables(self) -> list[str]:
        """Make what is missing; return the names of the new tables."""

    async def list_tables(self) -> list[str]:
        """Return the names of our tables that exist."""

    async def check_tables(self) -> list[str]:
        """Return a sentence for each difference between what exists and the schema."""

    async def close(self) -> None:
        """Finish what was begun and close the database."""


class InFlight:
    """Counts the operations under way; closing refuses new ones and waits for these."""

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


def while_open(operation: Operation) -> Operation:
    """Make an operation count as under way."""

    @wraps(operation)
    async def counted(engine: Any, /, *arguments: Any, **named: Any) -> Any:
        with engine.in_flight:
            return await operation(engine, *arguments, **named)

    return cast("Operation", counted)
