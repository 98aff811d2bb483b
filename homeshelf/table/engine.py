"""The contract that every engine keeps, and what can go wrong.

TableError
├── ConditionFailed         a single write's condition did not hold; shows what stands there
├── TransactionCancelled    a transaction's; says which of its writes, and what they found
├── Unreadable              a record is there, and is none that this program can read
├── Unavailable             the database cannot be reached or is too busy: try again later
├── CannotOpen              the database cannot be used as it is configured; says why
└── BadRequest              the caller's mistake: it would fail on every engine
    └── ItemTooLarge        a record above 400 kB
"""

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
    def __init__(self, current: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.current = current


class TransactionCancelled(TableError):
    def __init__(self, failures: Sequence[tuple[Write, Item | None]]) -> None:
        super().__init__(f"cancelled by {len(failures)} of its writes")
        self.failures = failures

    def by(self, write: Write) -> bool:
        """Return whether this write's condition failed."""
        return any(failed is write for failed, _ in self.failures)


class Unreadable(TableError):
    """Names the record by a digest of its key: errors are logged, and a key may be a secret."""

    def __init__(self, key: Key[Any], why: str) -> None:
        self.key, self.why = key, why
        super().__init__(f"the record {self.digest} of {key.table.name} cannot be read: {why}")

    @property
    def digest(self) -> str:
        place = f"{self.key.table.name}\n{self.key.partition}\n{self.key.sort}"
        return hashlib.sha256(place.encode(errors="surrogatepass")).hexdigest()[:16]


class Unavailable(TableError):
    pass


class CannotOpen(TableError):
    pass


class OlderLayout(CannotOpen):
    """The file has an earlier layout that the caller may not upgrade."""


class BadRequest(TableError):
    pass


class ItemTooLarge(BadRequest):
    pass


class Engine(Protocol):
    """Tables of items, each found by its key.

    A record whose `ttl` has passed is absent: no read returns it, no condition sees it, and a
    write may take its place. Numbers are exact: whole ones come back as `int`, others as `Decimal`.
    Keys sort by the bytes of their UTF-8. A record stands in an index while it has both of its
    keys. Reads of an index may lag behind writes; reads of a base table do when not asked to be
    consistent.

    The ids of `PutInOrder` follow the order of writing. The embedded engine makes them under the
    lock of its file, so that they follow each other exactly; the DynamoDB engine makes them just
    before it sends a write first, and what is sent again keeps them. A change is written, refused
    or given up within the seconds of `deadlines.py` from the moment of asking; one that was refused
    is never written later.

    A record may be there that cannot be decoded: one with a type of value that is none of ours, or
    whose text is damaged. It is never taken for absent. To read it by itself, or to change it under
    a condition that it decides, is `Unreadable`. Queries and scans leave it out and name it in the
    `unreadable` of their page; a query's page is full all the same, and a scan's `next` leads on.
    A count includes it. A put or delete without a condition takes its place, and returns None for
    it.

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
        """Return a page of a partition, full unless it is the last; `next` is None only on the
        last."""

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        """Return the number of records on all pages, counting no further than `at_most`."""

    async def write(self, write: Put | Update | Delete) -> Item | None:
        """Make a single write, and return the record that was there before; an update needs one."""

    async def transact(self, writes: Sequence[Write]) -> None:
        """Make up to 100 writes to different keys, or none; a failed condition decides over other
        errors."""

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        """Make unconditional writes to different keys in any order; a failure leaves some of them
        done."""

    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        """Return records of a table in no order: for copies and checks, never a request."""

    async def size(self) -> int:
        """Return about how many records all tables have, for progress."""

    async def stamp(self) -> int | None:
        """Return a number that any process's write changes, at almost no cost; None if unknown."""

    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        """Return the keys in partitions with this prefix that expire between these seconds.

        Only engines with a stamp have it; others would have to scan, and refuse.
        """

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
