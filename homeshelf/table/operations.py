"""What is asked of a table: keys, queries and writes, as values.

Stores make them from records (`record.py`); engines carry them out.
"""

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
"""Sorts after every character that a key holds."""


@dataclass(frozen=True, slots=True)
class Key(Generic[R_co]):
    """Where one record stands."""

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
    """From `low` to `high`, both included."""

    low: KeyValue
    high: KeyValue


Sort = Equals | Prefix | Between


@dataclass(frozen=True, slots=True)
class Shape:
    """What stored records are read as, without becoming items first."""

    decode: Callable[[Sequence[str]], list[Any]] = field(repr=False)
    """From JSON, as the embedded engine stores it; a `DecodeError` where one has another shape."""
    load: Callable[[Item], Any] = field(repr=False)
    """From an item, or what is decoded already; a record where it has another shape."""
    implies: Condition | None
    """The filter that whatever has the shape passes."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """One partition of a table or an index, in the order of its sort key.

    `filter` looks at attributes that are no keys; `predicate` is for what DynamoDB cannot express.
    Both apply before a page is cut: a page is full unless it is the last. Where there is a `shape`,
    an engine may return what has it so, instead of as items.
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
    """The class of its records."""
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
        """Strongly consistent; only a base table can be."""
        return replace(self, consistent=True)

    @property
    def sort_attribute(self) -> str:
        return self.cursor_attributes[1]

    @property
    def cursor_attributes(self) -> tuple[str, ...]:
        """The keys that say where a page ended."""
        base = (self.table.partition, self.table.sort)
        if not self.index:
            return base
        among = self.table.index(self.index)
        return (among.partition, among.sort, *base)


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    items: Sequence[R]
    next: Cursor | None = None
    """Where the following page starts; None on the last."""
    unreadable: "Sequence[Key[Any]]" = ()
    """The records that were left out, because nobody can read them."""


Refusal = Callable[[Item | None], Awaitable[None]]
"""Is given what stood in the way of a write, and may raise what that means."""
W = TypeVar("W", bound="Conditional")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Conditional:
    """A write whose condition may cancel a transaction."""

    verb: ClassVar[str]
    """What DynamoDB calls it."""
    refusal: Refusal | None = field(default=None, repr=False)

    def refusing(self: W, refusal: Refusal | None) -> W:
        """The same write, which says so what its refusal means."""
        return self if refusal is self.refusal else replace(self, refusal=refusal)

    async def refused(self, found: Item | None) -> None:
        """Returns where it means only that somebody was quicker."""
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
    """A put whose sort key ends with an ordered id, which is made when it is written.

    So the ids of what waited say when it was written, not when it was asked for. The item comes
    with an id that stands in for it.
    """

    attribute: str = field(kw_only=True)
    """The one that has the id as well."""
    kept: int | None = field(default=None, kw_only=True)
    """For how many seconds from then on, where it expires."""

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
    """Change some attributes of a record that is there; it never makes one."""

    verb = "Update"
    changes: tuple[UpdateAction, ...]
    when: Condition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Delete(_AtKey):
    verb = "Delete"
    when: Condition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Check(_AtKey):
    """Part of a transaction that changes nothing and must hold."""

    verb = "ConditionCheck"
    when: Condition


Write = Put | Update | Delete | Check


def numbered(write: Write) -> Write:
    """The write as it is carried out: one in order has its id from now on."""
    if not isinstance(write, PutInOrder):
        return write
    return Put(write.table, write.numbered_item(clock.ordered_id()), write.when)


def item_key(table: Table, partition: Any, sort: Any) -> Key[Item]:
    return Key(table, partition, sort, _as_it_is)


def key_in(table: Table, item: Item) -> Key[Item]:
    return item_key(table, item[table.partition], item[table.sort])


def _as_it_is(item: Item) -> Item:
    return item
