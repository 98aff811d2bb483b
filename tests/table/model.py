"""A second implementation of the contract of `Engine`, with dictionaries and sorting.

It shares the errors and the operations with the engines, but none of their code.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from operator import ge, gt, le, lt
from typing import Any

from homeshelf.table.engine import BadRequest, ConditionFailed, TransactionCancelled
from homeshelf.table.expressions import (
    Absent,
    Add,
    All,
    Attribute,
    Compare,
    Condition,
    Exists,
    Item,
    Missing,
    OneOf,
    Remove,
    Set,
    UpdateAction,
    Value,
)
from homeshelf.table.operations import (
    Between,
    Delete,
    Equals,
    Key,
    KeyValue,
    Page,
    Prefix,
    Put,
    Query,
    Update,
    Write,
)
from homeshelf.table.schema import Table

Place = tuple[str, KeyValue, KeyValue]
EXACTLY = Context(prec=300)
_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Model:
    def __init__(self, seconds: Callable[[], int]) -> None:
        self.seconds = seconds
        self.stored: dict[Place, Item] = {}

    def copy(self) -> "Model":
        other = Model(self.seconds)
        other.stored = dict(self.stored)
        return other

    def get(self, key: Key[Any]) -> Item | None:
        found = self.stored.get(_place(key))
        expires = found.get(key.table.ttl) if found and key.table.ttl else None
        return None if isinstance(expires, int) and expires <= self.seconds() else found

    def get_many(self, keys: Sequence[Key[Any]]) -> list[Item | None]:
        return [self.get(key) for key in keys]

    def query(self, query: Query[Any]) -> Page[Item]:
        names = query.cursor_attributes
        found = self._matching(query)
        if query.start is not None:
            place = [query.start[name] for name in names]
            found = [
                item
                for item in found
                if _is_after(_cursor(item, names), place, descending=query.descending)
            ]
        if query.limit is None or len(found) <= query.limit:
            return Page(found)
        last = found[query.limit - 1]
        return Page(found[: query.limit], {name: last[name] for name in names})  # type: ignore[misc]  # keys

    def count(self, query: Query[Any], at_most: int | None = None) -> int:
        return len(self._matching(query)[:at_most])

    def scan(self, table: Table) -> list[Item]:
        return [item for _, item in sorted(self._unexpired_items(table))]

    def write(self, write: Put | Update | Delete) -> Item | None:
        before = self.get(write.key)
        try:
            self.transact([write])
        except TransactionCancelled:
            raise ConditionFailed(before) from None
        return before

    def transact(self, writes: Sequence[Write]) -> None:
        found = [self.get(write.key) for write in writes]
        failures = [
            (write, current)
            for write, current in zip(writes, found, strict=True)
            if not _is_allowed(write, current)
        ]
        if failures:
            raise TransactionCancelled(failures)
        results = [_result(write, item) for write, item in zip(writes, found, strict=True)]
        for write, result in zip(writes, results, strict=True):
            self.stored.pop(_place(write.key), None)
            if result is not None:
                self.stored[_place(write.key)] = result

    def batch(self, writes: Sequence[Put | Delete]) -> None:
        for write in writes:
            self.transact([write])

    def _matching(self, query: Query[Any]) -> list[Item]:
        found = [
            item
            for _, item in self._unexpired_items(query.table)
            if item.get(query.cursor_attributes[0]) == query.partition
            and query.cursor_attributes[1] in item
            and _is_in_range(query.sort, item[query.cursor_attributes[1]])
            and condition_holds(query.filter, item)
            and (query.predicate is None or query.predicate(item))
        ]
        names = query.cursor_attributes
        return sorted(
            found, key=lambda item: _order(_cursor(item, names)), reverse=query.descending
        )

    def _unexpired_items(self, table: Table) -> list[tuple[str, Item]]:
        places = [place for place in self.stored if place[0] == table.name]
        found = [(place, self.get(Key(table, place[1], place[2], dict))) for place in places]
        return [(repr(place), item) for place, item in found if item is not None]


def condition_holds(condition: Condition | None, item: Item | None) -> bool:
    match condition:
        case None:
            return True
        case All(parts):
            return all(condition_holds(part, item) for part in parts)
        case Exists():
            return item is not None
        case Absent():
            return item is None
        case Missing(name):
            return item is None or name not in item
        case OneOf(name, values):
            return any(condition_holds(Compare(name, "=", value), item) for value in values)
        case Compare(name, operator, operand):
            if item is None or name not in item:
                return False
            if isinstance(operand, Attribute):
                if operand.name not in item:
                    return False
                operand = item[operand.name]
            return _compare(item[name], operator, operand)
    raise AssertionError(condition)


def plain(value: object) -> object:
    """Return a value with its type spelled out, because True == 1 in Python."""
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return (type(value).__name__, str(value))


def _compare(one: Value, operator: str, other: Value) -> bool:
    if operator == "=":
        return plain(_kept(one)) == plain(_kept(other))
    low, high = _ordered(one), _ordered(other)
    return low is not None and type(low) is type(high) and bool(_ORDER[operator](low, high))


def _ordered(value: Value) -> bytes | Decimal | None:
    if isinstance(value, str):
        return value.encode()
    return (
        Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
    )


def _kept(value: Value) -> Value:
    """Return a value as an engine returns it: int, or Decimal without trailing zeros."""
    match value:
        case list():
            return [_kept(part) for part in value]
        case dict():
            return {name: _kept(part) for name, part in value.items()}
        case Decimal():
            return int(value) if value == int(value) else EXACTLY.normalize(value)
    return value


def _is_allowed(write: Write, current: Item | None) -> bool:
    return condition_holds(write.when, current) and not (
        isinstance(write, Update) and current is None
    )


def _result(write: Write, current: Item | None) -> Item | None:
    match write:
        case Put():
            return {name: _kept(value) for name, value in write.item.items()}
        case Delete():
            return None
        case Update():
            result: Item = current or {}
            for change in write.changes:
                result = _changed(result, change)
            return result
    return current


def _changed(item: Item, change: UpdateAction) -> Item:
    name = change.attribute
    others = {other: value for other, value in item.items() if other != name}
    match change:
        case Set():
            return {**others, name: _kept(change.value)}
        case Remove():
            return others
        case Add():
            before = item.get(name, 0)
            if isinstance(before, bool) or not isinstance(before, int | Decimal):
                raise BadRequest
            total = EXACTLY.normalize(EXACTLY.add(Decimal(before), Decimal(change.amount)))
            if len(total.as_tuple().digits) > 38:
                raise BadRequest
            return {**others, name: _kept(total)}


def _place(key: Key[Any]) -> Place:
    return (key.table.name, key.partition, key.sort)


def _is_in_range(sort: object, value: Any) -> bool:
    match sort:
        case Equals(wanted):
            return bool(value == wanted)
        case Prefix(prefix):
            return bool(value.startswith(prefix))
        case Between(low, high):
            return _order([low]) <= _order([value]) <= _order([high])
    return True


def _cursor(item: Item, names: Sequence[str]) -> list[Any]:
    return [item[name] for name in names]


def _order(cursor: Sequence[KeyValue]) -> list[Any]:
    return [part.encode() if isinstance(part, str) else part for part in cursor]


def _is_after(one: list[Any], other: list[Any], *, descending: bool) -> bool:
    return _order(one) < _order(other) if descending else _order(one) > _order(other)
