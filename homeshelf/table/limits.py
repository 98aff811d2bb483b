"""DynamoDB's limits, kept on every engine: what works at home works there."""

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from typing import Any

from homeshelf.table.engine import BadRequest, ItemTooLarge
from homeshelf.table.expressions import (
    Add,
    All,
    Attribute,
    Change,
    Compare,
    Condition,
    Item,
    OneOf,
    Set,
    Value,
    attributes,
    kind,
)
from homeshelf.table.operations import (
    Between,
    Check,
    Delete,
    Key,
    Prefix,
    Put,
    Query,
    Update,
    Write,
)
from homeshelf.table.schema import Table

ITEM_BYTES = 400 * 1024
PARTITION_BYTES = 2048
SORT_BYTES = 1024
WRITES = 100
KEYS = 100
DIGITS = 38
SMALLEST = Decimal("1E-130")
LARGEST = Decimal("9.9999999999999999999999999999999999999E+125")
_EXACT = Context(prec=500)


def check_key(key: Key[Any]) -> None:
    check_key_value(key.table, key.table.partition, key.partition, PARTITION_BYTES)
    check_key_value(key.table, key.table.sort, key.sort, SORT_BYTES)


def check_key_value(table: Table, attribute: str, value: object, most: int) -> None:
    if attribute in table.numbers:
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise BadRequest(f"{attribute} is a whole number, not {value!r}")
    elif not isinstance(value, str) or not value:
        raise BadRequest(f"{attribute} is a text that is not empty, not {value!r}")
    elif _bytes(value) > most:
        raise BadRequest(f"{attribute} is longer than {most} bytes")


def checked_item(table: Table, item: Item) -> dict[str, Value]:
    """The item as it is stored, with its numbers in their shortest form; refused if unfit."""
    clean: dict[str, Value] = {}
    size = 0
    for name, value in item.items():
        clean[name], bytes_ = _measured(value)
        size += _bytes(name) + bytes_
    if size > ITEM_BYTES:
        raise ItemTooLarge(f"a record of {size} bytes; at most {ITEM_BYTES} are kept")
    for index in table.indexes:
        if index.partition in clean:
            check_key_value(table, index.partition, clean[index.partition], PARTITION_BYTES)
        if index.sort in clean:
            check_key_value(table, index.sort, clean[index.sort], SORT_BYTES)
    if table.ttl and not (clean.get(table.ttl) is None or type(clean[table.ttl]) is int):
        raise BadRequest(f"{table.ttl} is a time in whole seconds, or null")
    return clean


def checked_value(value: Value) -> Value:
    return _measured(value)[0]


def check_query(query: Query[Any]) -> None:
    check_key_value(query.table, query.partition_attribute, query.partition, PARTITION_BYTES)
    match query.sort:
        case Between(low, high):
            if type(low) is not type(high) or low > high:  # type: ignore[operator]  # same type here
                raise BadRequest(f"a range from {low!r} to {high!r}")
        case Prefix("") if query.sort_attribute not in query.table.numbers:
            raise BadRequest("an empty prefix: leave it out")
    if query.limit is not None and query.limit < 1:
        raise BadRequest("a page of less than one")
    if query.index and query.consistent:
        raise BadRequest("an index cannot be read consistently")
    if not set(query.cursor_attributes).isdisjoint(attributes(query.filter)):
        raise BadRequest("a filter looks at attributes that are no keys")
    check_condition(query.filter)


def check_condition(condition: Condition | None) -> None:
    match condition:
        case Compare(_, operator, operand) if not isinstance(operand, Attribute):
            checked_value(operand)
            if operator != "=" and kind(operand) not in "SN":
                raise BadRequest(f"{operator} compares texts and numbers, not {operand!r}")
        case OneOf(_, values):
            if not 1 <= len(values) <= WRITES:
                raise BadRequest(f"one of {len(values)} values; from 1 to {WRITES} are allowed")
            for value in values:
                checked_value(value)
        case All(parts):
            for part in parts:
                check_condition(part)


def check_writes(writes: Sequence[Write]) -> None:
    """What holds for a transaction as a whole; each write is checked by itself as well."""
    if not 1 <= len(writes) <= WRITES:
        raise BadRequest(f"a transaction of {len(writes)}; from 1 to {WRITES} go together")
    check_different(write.key for write in writes)


def check_token(token: str | None) -> None:
    if token is not None and not 1 <= len(token) <= 36:
        raise BadRequest("an idempotency token has 1 to 36 characters")


def check_different(keys: Iterable[Key[Any]]) -> None:
    seen = set()
    for key in keys:
        place = (key.table.name, key.partition, key.sort)
        if place in seen:
            raise BadRequest(f"{key.partition} {key.sort} comes twice")
        seen.add(place)


def checked_write(write: Write) -> Write:
    """The write with its values as they are stored; refused if unfit."""
    check_key(write.key)
    check_condition(write.when)
    match write:
        case Put(table, item, when):
            return Put(table, checked_item(table, item), when)
        case Update(key, changes, when):
            _check_changes(key.table, [change.attribute for change in changes])
            clean = tuple(
                Set(c.attribute, checked_value(c.value)) if isinstance(c, Set) else c
                for c in changes
            )
            checked_item(key.table, {c.attribute: c.value for c in clean if isinstance(c, Set)})
            if any(isinstance(c, Add) and kind(c.amount) != "N" for c in clean):
                raise BadRequest("only numbers can be added")
            return Update(key, clean, when)
        case Delete() | Check():
            return write


def _check_changes(table: Table, names: list[str]) -> None:
    if not names or len(names) != len(set(names)):
        raise BadRequest("an update changes at least one attribute, and each once")
    if table.partition in names or table.sort in names:
        raise BadRequest("a record's key does not change")


def _with_value(change: Change, values: dict[str, Value]) -> Change:
    return Set(change.attribute, values[change.attribute]) if isinstance(change, Set) else change


def _measured(value: Value, depth: int = 0) -> tuple[Value, int]:
    """A value as it is stored, and the bytes that DynamoDB counts for it."""
    if depth > 32:
        raise BadRequest("nested more than 32 deep")
    match value:
        case str():
            return value, _bytes(value)
        case None | bool():
            return value, 1
        case int() | Decimal():
            number = _shortest(value)
            return number, 21 if isinstance(number, Decimal) else len(str(number)) // 2 + 2
        case list():
            parts = [_measured(part, depth + 1) for part in value]
            return [part for part, _ in parts], 3 + sum(size + 1 for _, size in parts)
        case dict():
            named = {name: _measured(part, depth + 1) for name, part in value.items()}
            return {name: part for name, (part, _) in named.items()}, 3 + sum(
                _bytes(name) + size + 1 for name, (_, size) in named.items()
            )
    raise BadRequest(f"{type(value).__name__} cannot be stored")


def _shortest(number: int | Decimal) -> int | Decimal:
    """The number without trailing zeros: whole ones as int, as they come back from every engine."""
    if isinstance(number, int) and -(10**DIGITS) < number < 10**DIGITS:
        return number
    exact = _EXACT.normalize(Decimal(number))
    if not exact.is_finite() or not (exact == 0 or SMALLEST <= abs(exact) <= LARGEST):
        raise BadRequest(f"{number} cannot be stored")
    _, digits, exponent = exact.as_tuple()
    if len(digits) > DIGITS:
        raise BadRequest(f"a number of more than {DIGITS} digits")
    return int(exact) if isinstance(exponent, int) and exponent >= 0 else exact


def _bytes(text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BadRequest("a text that is not valid Unicode") from None
