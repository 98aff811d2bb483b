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
        """Whether this write's condition did not hold."""
        return any(failed is write for failed, _ in self.failures)


class Unreadable(TableError):
    """Names the record by a digest of its key: this is logged, and a key may be a secret."""

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
    """The file was laid out by an earlier version, and the caller may not upgrade it."""


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
    """How many records queries have looked at, found or passed over; counts are not in it."""
    reads_at_once: bool
    """Whether a read of few records is done when it is asked for, without waiting for anything."""

    async def get(self, key: Key[Any], *, consistent: bool = True) -> Item | None:
        """The record at this key."""

    async def get_many(
        self, keys: Sequence[Key[Any]], *, consistent: bool = True
    ) -> list[Item | None]:
        """The records at up to 100 different keys, in the order of the keys."""

    async def query(self, query: Query[Any]) -> Page[Item]:
        """A page of a partition, full unless it is the last; `next` is None only on the last."""

    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        """How many records all pages of the query have together, counted up to `at_most`.

        Reading stops once the bound is reached.
        """

    async def put(self, put: Put, /) -> Item | None:
        """Write a record; returns the one it replaced."""

    async def update(self, update: Update, /) -> Item | None:
        """Change attributes of a record that exists; returns it as it was before."""

    async def delete(self, delete: Delete, /) -> Item | None:
        """Remove a record; returns it, or None where there was none."""

    async def transact(self, writes: Sequence[Write]) -> None:
        """All of up to 100 writes to different keys, or none.

        A condition that does not hold decides, whatever else is wrong.
        """

    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        """Any number of writes without conditions to different keys; each happens, in no order.

        Not all or nothing: a failure half-way leaves some of them done.
        """

    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        """Every record of a table in no promised order: for copies and checks, never a request."""

    async def size(self) -> int:
        """About how many records there are in all tables: to say how far a copy is."""

    async def stamp(self) -> int | None:
        """A number that changes with every write, of this process or another; None if not known.

        It costs next to nothing, so that a change is noticed without looking for it.
        """

    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        """The keys in partitions that begin so of what expires between these two seconds.

        Only where there is a stamp: other engines have to scan for it, and refuse.
        """

    async def create_tables(self) -> list[str]:
        """Make what is missing; returns the names of what was made."""

    async def list_tables(self) -> list[str]:
        """The names of our tables that exist."""

    async def check_tables(self) -> list[str]:
        """A sentence for each difference between what exists and what the schema needs."""

    async def close(self) -> None:
        """Finish what was begun and let go of the database."""


class InFlight:
    """How many operations are under way: once it closes nothing new is begun, and what was begun is
    finished first."""

    def __init__(self) -> None:
        self._closed = False
        self._count = 0
        self._idle = asyncio.Event()

    def check(self) -> None:
        if self._closed:
            raise Unavailable("The database is closed.")

    def __enter__(self) -> None:
        if self._closed:
            self.check()
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
    """An operation that a closed engine refuses and a closing one waits for."""

    @wraps(operation)
    async def counted(engine: Any, /, *arguments: Any, **named: Any) -> Any:
        with engine.in_flight:
            return await operation(engine, *arguments, **named)

    return cast("Operation", counted)
