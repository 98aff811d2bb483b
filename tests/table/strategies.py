"""Random items, writes and queries; few keys and values, so that they often collide."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from homeshelf.table.expressions import (
    Add,
    All,
    Compare,
    Condition,
    Item,
    Operator,
    Remove,
    Set,
    UpdateAction,
    absent,
    attr,
    exists,
)
from homeshelf.table.operations import (
    Between,
    Check,
    Delete,
    Equals,
    Key,
    Prefix,
    Put,
    Query,
    Update,
    Write,
    item_key,
)
from homeshelf.table.schema import BOOKS, INVENTORY, SHORT_ID_POOL, Table

START = 2_000_000_000
SORTS = ["A", "A#1", "A#\uffff", "A#\U00010000", "B"]
PLACES: list[tuple[Table, Sequence[str | int], Sequence[str]]] = [
    (INVENTORY, ["P"], SORTS),
    (BOOKS, ["P"], SORTS[:3]),
    (SHORT_ID_POOL, [-1, 2**53 + 1], SORTS[:1]),
]
KEYS = [
    item_key(table, partition, sort)
    for table, partitions, sorts in PLACES
    for partition in partitions
    for sort in sorts
]
NAMES = ["a", "x.y z"]
TIMES = [None, *range(START, START + 5), START + 5000]

OPERATORS: list[Operator] = ["<", "<=", ">", ">="]

numbers: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, 10**30 + 1, Decimal("1.50"), Decimal("-1.5"), Decimal("1E+37")]
)
texts: st.SearchStrategy[Any] = st.sampled_from(["", "a", "é", "\U0001f345", "A#1"])
simple: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, 0, 1, False, True]), texts, numbers
)
values: st.SearchStrategy[Any] = st.one_of(
    simple, simple, st.lists(simple, max_size=1), st.dictionaries(st.just("k"), simple)
)
names = st.sampled_from(NAMES)
keys = st.sampled_from(KEYS)
tables = st.sampled_from([table for table, _, _ in PLACES])


@st.composite
def conditions(draw: st.DrawFn, names: Sequence[str] = (*NAMES, "ttl", "GSI1SK")) -> Condition:
    """Draw a condition on these attributes only, as a filter needs."""
    one, other = draw(st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True))
    match draw(st.sampled_from(["equal", "compared", "one of", "missing"])):
        case "equal":
            return attr(one) == draw(st.one_of(values, st.just(attr(other))))
        case "compared":
            operator = draw(st.sampled_from(OPERATORS))
            return Compare(one, operator, draw(st.one_of(numbers, texts, st.just(attr(other)))))
        case "one of":
            return attr(one).one_of(*draw(st.lists(values, min_size=1, max_size=3)))
        case _:
            return attr(one).missing


single = st.one_of(st.sampled_from([exists, exists, absent]), conditions())
several = st.lists(single, min_size=1, max_size=3).map(lambda parts: All(tuple(parts)))
whens = st.one_of(st.none(), st.none(), single, several)


@st.composite
def items(draw: st.DrawFn, key: Key[Any]) -> Item:
    item = draw(st.dictionaries(names, values, max_size=2))
    for index in draw(st.sampled_from([(), key.table.indexes, key.table.indexes])):
        item[index.partition] = draw(st.sampled_from("GGH"))
        item[index.sort] = draw(st.sampled_from(SORTS))
    for name in draw(st.lists(st.sampled_from([*key.table.index_attributes, "a"]), max_size=1)):
        item.pop(name, None)
    if key.table.ttl and draw(st.booleans()):
        item[key.table.ttl] = draw(st.sampled_from(TIMES))
    return {**item, **key.attributes}


@st.composite
def changes(draw: st.DrawFn, table: Table) -> tuple[UpdateAction, ...]:
    chosen: list[UpdateAction] = []
    for name in draw(st.lists(names, min_size=1, max_size=2, unique=True)):
        to, by = st.builds(Set, st.just(name), values), st.builds(Add, st.just(name), numbers)
        chosen.append(draw(st.one_of(to, by, st.just(Remove(name)))))
    special = [*table.index_attributes, *([table.ttl] if table.ttl else [])]
    for name in (
        draw(st.lists(st.sampled_from(special), max_size=2, unique=True)) if special else []
    ):
        possible = TIMES if name == table.ttl else "GH" if name.lower().endswith("pk") else SORTS
        to = st.builds(Set, st.just(name), st.sampled_from(possible))
        chosen.append(draw(st.one_of(to, st.just(Remove(name)))))
    return tuple(chosen)


def puts(key: Key[Any]) -> st.SearchStrategy[Put]:
    return st.builds(Put, st.just(key.table), items(key), whens)


def updates(key: Key[Any]) -> st.SearchStrategy[Update]:
    return st.builds(Update, st.just(key), changes(key.table), whens)


def deletes(key: Key[Any]) -> st.SearchStrategy[Delete]:
    return st.builds(Delete, st.just(key), whens)


def checks(key: Key[Any]) -> st.SearchStrategy[Check]:
    return st.builds(Check, st.just(key), st.one_of(single, several))


def different(most: int) -> st.SearchStrategy[list[Key[Any]]]:
    return st.lists(st.sampled_from(range(len(KEYS))), min_size=1, max_size=most, unique=True).map(
        lambda places: [KEYS[place] for place in places]
    )


@st.composite
def transactions(draw: st.DrawFn) -> list[Write]:
    kinds = st.sampled_from([puts, updates, deletes, checks])
    return [draw(draw(kinds)(key)) for key in draw(different(4))]


@st.composite
def batches(draw: st.DrawFn) -> list[Put | Delete]:
    kinds = st.sampled_from([puts, deletes])
    return [replace(draw(draw(kinds)(key)), when=None) for key in draw(different(6))]


@st.composite
def queries(draw: st.DrawFn, *, of_indexes: bool = True) -> Query[Any]:
    table, partitions, _ = draw(st.sampled_from(PLACES))
    indexes = [index.name for index in table.indexes] if of_indexes else []
    index = draw(st.sampled_from([None, *indexes]))
    low, high = sorted(draw(st.tuples(st.sampled_from(SORTS), st.sampled_from(SORTS))))
    sorts = [None, None, Equals(low), Prefix(low), Prefix(low[:1]), Between(low, high)]
    query: Query[Any] = Query(
        table,
        draw(st.sampled_from("GGH" if index else partitions)),
        dict,
        index=index,
        sort=draw(st.sampled_from(sorts)),
        descending=draw(st.booleans()),
        predicate=draw(st.sampled_from([None, None, _has_a])),
        consistent=not index and draw(st.booleans()),
    )
    others = [name for name in ("ttl", "GSI1SK") if name not in query.cursor_attributes]
    return replace(query, filter=draw(st.one_of(st.none(), conditions([*NAMES, *others]))))


def _has_a(item: Item) -> bool:
    return "a" in item
