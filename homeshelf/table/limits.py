"""DynamoDB's limits, which every engine enforces so that data can move between engines."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from homeshelf.table.engine import BadRequest, ItemTooLarge
from homeshelf.table.expressions import (
    Add,
    All,
    Attribute,
    Compare,
    Condition,
    Item,
    Missing,
    OneOf,
    Set,
    UpdateAction,
    Value,
    absent,
    exists,
    kind,
)
from homeshelf.table.operations import (
    HIGHEST,
    Between,
    Cursor,
    Delete,
    Equals,
    Key,
    KeyValue,
    Prefix,
    Put,
    Query,
    Sort,
    Write,
    key_in,
)
from homeshelf.table.schema import Table
from homeshelf.table.values import check_value, is_whole, measure_item, name_bytes, text_bytes

ITEM_BYTES = 400 * 1024
PARTITION_BYTES = 2048
SORT_BYTES = 1024
WRITES = 100
WRITTEN_BYTES = 4 * 1024 * 1024
KEYS = 100
CHANGES = 100

RowKey = tuple[Table, object, object]


def check_key(key: Key[Any]) -> None:
    _check_place(key.table, key.partition, key.sort)


def check_key_value(table: Table, attribute: str, value: object, most: int) -> None:
    if attribute in table.numbers:
        if not is_whole(value):
            raise BadRequest(f"{attribute} is a whole number, not {value!r}")
    elif not isinstance(value, str) or not value:
        raise BadRequest(f"{attribute} is a text that is not empty, not {value!r}")
    elif (len(value) if value.isascii() else text_bytes(value)) > most:
        raise BadRequest(f"{attribute} is longer than {most} bytes")


def last_key(prefix: str) -> str:
    room, rest = divmod(SORT_BYTES - len(prefix.encode()), 4)
    return prefix + HIGHEST * room + ("", "\x7f", "\u07ff", "\uffff")[rest]


def check_item(table: Table, item: Item) -> dict[str, Value]:
    """Return the item as it is stored; raise if it exceeds a limit."""
    clean, size = measure_item(item)
    if size > ITEM_BYTES:
        raise ItemTooLarge(f"a record of {size} bytes; at most {ITEM_BYTES} are kept")
    for index in table.indexes:
        if index.partition in item:
            check_key_value(table, index.partition, item[index.partition], PARTITION_BYTES)
        if index.sort in item:
            check_key_value(table, index.sort, item[index.sort], SORT_BYTES)
    expires = item.get(table.ttl) if table.ttl else None
    if expires is not None and not is_whole(check_value(expires)):
        raise BadRequest(f"{table.ttl} is a time in whole seconds, or null")
    return clean


def check_query(query: Query[Any]) -> None:
    keys = query.cursor_attributes
    check_key_value(query.table, keys[0], query.partition, PARTITION_BYTES)
    match query.sort:
        case Equals(value):
            _check_sort(query, value)
        case Prefix(value):
            if keys[1] in query.table.numbers:
                raise BadRequest("a number has no prefix")
            _check_sort(query, value)
        case Between(low, high):
            _check_sort(query, low)
            _check_sort(query, high)
            if low > high:  # type: ignore[operator]  # both are of the attribute's type
                raise BadRequest(f"a range from {low!r} to {high!r}")
    if query.limit is not None and query.limit < 1:
        raise BadRequest("a page of less than one")
    if query.index and query.consistent:
        raise BadRequest("an index cannot be read consistently")
    if query.start is not None:
        _check_start(query, query.start)
    if query.filter is not None:
        check_filter(query.filter, keys)


def check_scan(table: Table, limit: int, start: Cursor | None) -> None:
    if limit < 1:
        raise BadRequest("a page of less than one")
    if start is not None:
        if start.keys() != {table.partition, table.sort}:
            raise BadRequest("a page starts at a key")
        check_key(key_in(table, start))


def check_writes(writes: Sequence[Write]) -> None:
    """Check the writes of a transaction, except for the values that they store."""
    if not 1 <= len(writes) <= WRITES:
        raise BadRequest(f"a transaction of {len(writes)}; from 1 to {WRITES} go together")
    _check_rows(map(row_key, writes))
    for write in writes:
        check_condition(write.when)
    puts = [write for write in writes if isinstance(write, Put)]
    if len(puts) * ITEM_BYTES > WRITTEN_BYTES:
        size = sum(measure_item(put.item)[1] for put in puts)
        if size > WRITTEN_BYTES:
            raise BadRequest(f"a transaction of {size} bytes; at most {WRITTEN_BYTES} go together")


def check_write(write: Write) -> None:
    """Check a single write, except for the values that it stores."""
    _check_place(*row_key(write))
    check_condition(write.when)


def check_changes(table: Table, changes: Sequence[UpdateAction]) -> tuple[UpdateAction, ...]:
    """Return the changes as they are stored; raise if they exceed a limit."""
    names = [change.attribute for change in changes]
    for name in names:
        name_bytes(name)
    if not 1 <= len(names) <= CHANGES or len(names) != len(set(names)):
        raise BadRequest(f"an update changes from 1 to {CHANGES} attributes, and each once")
    if table.partition in names or table.sort in names:
        raise BadRequest("a record's key does not change")
    values = check_item(table, {c.attribute: c.value for c in changes if isinstance(c, Set)})
    return tuple(
        Set(c.attribute, values[c.attribute])
        if isinstance(c, Set)
        else _checked_add(table, c)
        if isinstance(c, Add)
        else c
        for c in changes
    )


def check_keys(keys: Sequence[Key[Any]]) -> None:
    if len(keys) > KEYS:
        raise BadRequest(f"{len(keys)} keys; at most {KEYS} are read together")
    _check_rows((key.table, key.partition, key.sort) for key in keys)


def check_batch(writes: Sequence[Put | Delete]) -> None:
    if any(write.when for write in writes):
        raise BadRequest("a batch has no conditions")
    _check_rows(map(row_key, writes))


def row_key(write: Write) -> RowKey:
    """Return the identity of a write's record without building a `Key`."""
    if isinstance(write, Put):
        table, item = write.table, write.item
        return table, item.get(table.partition), item.get(table.sort)
    return write.key.table, write.key.partition, write.key.sort


def _check_place(table: Table, partition: object, sort: object) -> None:
    check_key_value(table, table.partition, partition, PARTITION_BYTES)
    check_key_value(table, table.sort, sort, SORT_BYTES)


def _check_rows(keys: Iterable[RowKey]) -> None:
    seen = set()
    for table, partition, sort in keys:
        _check_place(table, partition, sort)
        place = (table.name, partition, sort)
        if place in seen:
            raise BadRequest(f"{partition} {sort} comes twice")
        seen.add(place)


def _checked_add(table: Table, add: Add) -> Add:
    amount = check_value(add.amount)
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal):
        raise BadRequest("only numbers can be added")
    if add.attribute == table.ttl and not is_whole(amount):
        raise BadRequest(f"{table.ttl} is a time in whole seconds")
    return Add(add.attribute, amount)


def _check_sort(query: Query[Any], value: KeyValue) -> None:
    check_key_value(query.table, query.cursor_attributes[1], value, SORT_BYTES)


def _check_start(query: Query[Any], start: Cursor) -> None:
    """Refuse a start outside of the query, as DynamoDB does."""
    if start.keys() != set(query.cursor_attributes):
        raise BadRequest("a page starts where another ended")
    check_key(key_in(query.table, start))
    partition, sort, *_ = (start[name] for name in query.cursor_attributes)
    _check_sort(query, sort)
    if partition != query.partition or not _lies_in(query.sort, sort):
        raise BadRequest("a page starts where another page of the same query ended")


def _lies_in(sort: Sort | None, value: Any) -> bool:
    match sort:
        case Equals(wanted):
            return bool(value == wanted)
        case Prefix(prefix):
            return bool(value.startswith(prefix))
        case Between(low, high):
            return bool(low <= value <= high)
    return True


PARTS, VALUES = 20, 100
"""The most parts and values that always fit into DynamoDB's 4 kB for an expression."""


def check_condition(condition: Condition | None) -> None:
    if condition is None or condition is absent or condition is exists:
        return
    parts = parts_of(condition)
    values = sum(len(part.values) for part in parts if isinstance(part, OneOf))
    if len(parts) > PARTS or values > VALUES:
        raise BadRequest(
            f"a condition of {len(parts)} parts and {values} values; at most {PARTS} and {VALUES}"
        )
    for part in parts:
        _check_part(part)


def check_filter(condition: Condition, keys: tuple[str, ...]) -> None:
    check_condition(condition)
    for part in parts_of(condition):
        names = _names_in(part)
        if not names:
            raise BadRequest("a filter looks at attributes; what is found exists")
        if not names.isdisjoint(keys):
            raise BadRequest("a filter looks at attributes that are no keys")


def parts_of(condition: Condition | None) -> list[Condition]:
    if not isinstance(condition, All):
        return [] if condition is None else [condition]
    if not condition.parts:
        raise BadRequest("a conjunction of nothing")
    return [part for among in condition.parts for part in parts_of(among)]


def _names_in(part: Condition) -> set[str]:
    names = {part.attribute} if isinstance(part, (Compare, OneOf, Missing)) else set()
    if isinstance(part, Compare) and isinstance(part.operand, Attribute):
        names.add(part.operand.name)
    return names


def _check_part(part: Condition) -> None:
    for name in _names_in(part):
        name_bytes(name)
    match part:
        case OneOf(_, ()):
            raise BadRequest("one of no values")
        case OneOf(_, values):
            for value in values:
                check_value(value)
        case Compare(name, _, Attribute(other)):
            if other == name:
                raise BadRequest(f"{name} compared with itself")
        case Compare(_, operator, operand) if not isinstance(operand, Attribute):
            check_value(operand)
            if operator != "=" and kind(operand) not in "SN":
                raise BadRequest(f"{operator} compares texts and numbers, not {operand!r}")
