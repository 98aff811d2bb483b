"""Items as DynamoDB sends them: every value tagged with its type, numbers as text."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from homeshelf.table.engine import BadRequest, Unreadable
from homeshelf.table.expressions import Item, Value
from homeshelf.table.limits import check_item
from homeshelf.table.operations import Key, item_key
from homeshelf.table.schema import Table
from homeshelf.table.values import EXACT, TOO_LARGE, measured, names_bytes, text_bytes

Wired = dict[str, Any]
"""A value such as `{"S": "milk"}`."""


def to_wire(item: Mapping[str, Any]) -> dict[str, Wired]:
    """The item, tagged: texts on the spot, as most values are texts."""
    return {
        name: {"S": value} if type(value) is str else _TO_WIRE[type(value)](value)
        for name, value in item.items()
    }


def checked_to_wire(table: Table, item: Item) -> dict[str, Wired]:
    """The item, tagged; refused if unfit. In one pass, as every put comes through here."""
    wired: dict[str, Wired] = {}
    size = names_bytes(tuple(item))
    for name, value in item.items():
        if type(value) is str:
            size += len(value) if value.isascii() else text_bytes(value)
            wired[name] = {"S": value}
        elif type(value) is int and -TOO_LARGE < value < TOO_LARGE:
            text = str(value)
            size += len(text) // 2 + 2
            wired[name] = {"N": text}
        else:
            stored, bytes_ = measured(value)
            size += bytes_
            wired[name] = value_to_wire(stored)
    check_item(table, item, size)
    return wired


def value_to_wire(value: Value) -> Wired:
    return _TO_WIRE[type(value)](value)


def from_wire(wired: dict[str, Wired]) -> dict[str, Value]:
    """The item, in place of what was sent: a query has hundreds of values to untag."""
    item: dict[str, Any] = wired
    for name, tagged in item.items():
        # By what most have first: looking is quicker than taking apart.
        if "S" in tagged:
            item[name] = tagged["S"]
        elif "N" in tagged:
            try:
                item[name] = int(tagged["N"])
            except ValueError:
                item[name] = _number(tagged["N"])
        elif "NULL" in tagged:
            item[name] = None
        else:
            tag, value = tagged.popitem()
            item[name] = _FROM_WIRE[tag](value)
    return item


def read_item(table: Table, wired: dict[str, Wired]) -> dict[str, Value]:
    """The item, in place of what was sent; `Unreadable` where a value is none of ours."""
    try:
        return from_wire(wired)
    except _ForeignValue as foreign:
        raise Unreadable(_key_of(table, wired), str(foreign)) from None


def living(table: Table, wired: dict[str, Wired] | None, now: int) -> dict[str, Value] | None:
    """The item, unless there is none or its time has passed."""
    if wired is None or _has_expired(table, wired, now):
        return None
    return read_item(table, wired)


def _has_expired(table: Table, wired: dict[str, Wired], now: int) -> bool:
    """Also of an item that cannot be read."""
    expires = wired.get(table.ttl, {}).get("N") if table.ttl else None
    return expires is not None and _number(expires) <= now


def _key_of(table: Table, wired: dict[str, Any]) -> Key[Item]:
    """Of an item that was read as far as a value that is none of ours."""
    partition, sort = (
        from_wire({name: wired[name]})[name] if isinstance(wired[name], dict) else wired[name]
        for name in (table.partition, table.sort)
    )
    return item_key(table, partition, sort)


class _ForeignValue(Exception):
    pass


class _ToWire(dict[type, Callable[[Any], Wired]]):
    """By type; a type that is new is looked for among its ancestors and then kept."""

    def __missing__(self, found: type) -> Callable[[Any], Wired]:
        for ancestor in found.__mro__:
            if ancestor in self:
                self[found] = self[ancestor]
                return self[found]
        raise BadRequest(f"{found.__name__} cannot be stored")


def number_to_wire(number: int) -> Wired:
    text = str(number)
    return {"N": text if len(text) <= 38 else str(EXACT.normalize(Decimal(number)))}


_TO_WIRE: _ToWire = _ToWire(
    {
        str: lambda text: {"S": text},
        bool: lambda truth: {"BOOL": truth},
        type(None): lambda _: {"NULL": True},
        int: number_to_wire,
        Decimal: lambda number: {"N": str(number)},
        list: lambda parts: {"L": [_TO_WIRE[type(part)](part) for part in parts]},
        dict: lambda parts: {"M": to_wire(parts)},
    }
)


def _number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else EXACT.normalize(number)


def _list(parts: list[Wired]) -> list[Value]:
    values: list[Value] = []
    for tagged in parts:
        tag, value = tagged.popitem()
        values.append(value if tag == "S" else _FROM_WIRE[tag](value))
    return values


class _FromWire(dict[str, Callable[[Any], Value]]):
    def __missing__(self, tag: str) -> Callable[[Any], Value]:
        raise _ForeignValue(f"it holds a value of DynamoDB's type {tag}")


_FROM_WIRE = _FromWire(
    {
        "S": str,
        "N": _number,
        "BOOL": bool,
        "NULL": lambda _: None,
        "L": _list,
        "M": from_wire,
    }
)


def readable(
    table: Table, items: list[Any], unreadable: list[Key[Item]]
) -> Iterator[dict[str, Value]]:
    """The items, without those that cannot be read: these are kept apart."""
    for wired in items:
        try:
            yield read_item(table, wired)
        except Unreadable as skipped:
            unreadable.append(skipped.key)
