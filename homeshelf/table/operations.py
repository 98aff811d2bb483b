"""Requests to a table as values: keys, queries and writes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

from homeshelf import clock
from homeshelf.table.expressions import Condition, Item, UpdateAction
from homeshelf.table.schema import Table

KeyValue = str | int
Cursor = Mapping[str, KeyValue]
"""The keys of the record after which a page starts."""
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

HIGHEST = "\U0010ffff"
"""The character that sorts after every other one in a key."""


@dataclass(frozen=True, slots=True)
class Key(Generic[R_co]):
    table: Table
    partition: KeyValue
    sort: KeyValue
    load: Callable[[Item], R_co] = field(repr=False, compare=False)

    @property
    def attributes(self) -> dict[str, KeyValue]:
        return {self.table.partition: self.partition, self.table.sort: self.sort}


@dataclass(frozen=True, slots=True)
class Equals:
    value: KeyValue


@dataclass(frozen=True, slots=True)
class Prefix:
    value: str


@dataclass(frozen=True, slots=True)
class Between:
    low: KeyValue
    high: KeyValue


Sort = Equals | Prefix | Between


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to read stored records without building items first."""

    decode: Callable[[Sequence[str]], list[Any]] = field(repr=False)
    """Decodes the embedded engine's JSON; raises `DecodeError` if a record does not fit."""
    load: Callable[[Item], Any] = field(repr=False)
    """Loads an item or a decoded value; returns a record if it does not fit."""
    implies: Condition | None
    """The filter that every value of this shape passes."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """A query of one partition of a table or an index, in the order of its sort key.

    `filter` tests attributes that are not keys, and `predicate` whatever DynamoDB cannot express;
    both apply before a page is cut. With a `shape` an engine may return shaped values instead of
    items.
    """

    table: Table
    partition: KeyValue
    load: Callable[[Item], R] = field(repr=False, compare=False)
    index: str | None = None
    sort: Sort | None = None
    descending: bool = False
    filter: Condition | None = None
    predicate: Callable[[Item], bool] | None = None
    limit: int | None = None
    start: Cursor | None = None
    consistent: bool = False
    kind: Any = field(default=None, repr=False, compare=False)
    shape: Shape | None = None

    def newest_first(self) -> "Query[R]":
        return replace(self, descending=True)

    def only(self, condition: Condition) -> "Query[R]":
        return replace(self, filter=condition if self.filter is None else self.filter & condition)

    def matching(self, predicate: Callable[[Item], bool]) -> "Query[R]":
        return replace(self, predicate=predicate)

    def page(self, limit: int, start: Cursor | None = None) -> "Query[R]":
        return replace(self, limit=limit, start=start)

    def up_to_date(self) -> "Query[R]":
        """Read with strong consistency, which only a base table offers."""
        return replace(self, consistent=True)

    @property
    def cursor_attributes(self) -> tuple[str, ...]:
        base = (self.table.partition, self.table.sort)
        if not self.index:
            return base
        among = self.table.index(self.index)
        return (among.partition, among.sort, *base)


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    items: Sequence[R]
    next: Cursor | None = None
    unreadable: "Sequence[Key[Any]]" = ()


Refusal = Callable[[Item | None], Awaitable[None]]
"""Receives the record that failed a condition, and raises the matching error or returns."""
W = TypeVar("W", bound="Conditional")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Conditional:
    verb: ClassVar[str]
    refusal: Refusal | None = field(default=None, repr=False)

    def with_refusal(self: W, refusal: Refusal | None) -> W:
        """Return the same write with its own error for a failed condition."""
        return self if refusal is self.refusal else replace(self, refusal=refusal)

    async def refused(self, found: Item | None) -> None:
        """Raise the error of a failed condition, or return if it is an ordinary conflict."""
        if self.refusal is not None:
            await self.refusal(found)


@dataclass(frozen=True, slots=True, eq=False)
class Put(Conditional):
    verb = "Put"
    table: Table
    item: Item
    when: Condition | None = None

    @property
    def key(self) -> Key[Item]:
        partition, sort = self.item.get(self.table.partition), self.item.get(self.table.sort)
        return item_key(self.table, partition, sort)


@dataclass(frozen=True, slots=True, eq=False)
class PutInOrder(Put):
    """A put whose sort key ends with an ordered id, made when it is written."""

    attribute: str = field(kw_only=True)
    kept: int | None = field(default=None, kw_only=True)
    """The seconds until the record expires, if it does."""

    def numbered_item(self, ordered_id: str) -> Item:
        table, item = self.table, self.item
        sort = str(item[table.sort]).removesuffix(str(item[self.attribute]))
        numbered = {**item, self.attribute: ordered_id, table.sort: sort + ordered_id}
        if table.ttl and self.kept is not None:
            numbered[table.ttl] = clock.second_of(ordered_id) + self.kept
        return numbered


@dataclass(frozen=True, slots=True, eq=False)
class _AtKey(Conditional):
    key: Key[Any]

    @property
    def table(self) -> Table:
        return self.key.table


@dataclass(frozen=True, slots=True, eq=False)
class Update(_AtKey):
    """Changes attributes of an existing record, and never creates one."""

    verb = "Update"
    changes: tuple[UpdateAction, ...]
    when: Condition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Delete(_AtKey):
    verb = "Delete"
    when: Condition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Check(_AtKey):
    verb = "ConditionCheck"
    when: Condition


Write = Put | Update | Delete | Check


def numbered(write: Write) -> Write:
    if not isinstance(write, PutInOrder):
        return write
    return Put(write.table, write.numbered_item(clock.ordered_id()), write.when)


def item_key(table: Table, partition: Any, sort: Any) -> Key[Item]:
    return Key(table, partition, sort, lambda item: item)


def key_in(table: Table, item: Item) -> Key[Item]:
    return item_key(table, item[table.partition], item[table.sort])
