"""Conversion of items to and from DynamoDB's JSON, where every value has a type tag."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from homeshelf.table.engine import BadRequest, Unreadable
from homeshelf.table.expressions import Item, Value, kind
from homeshelf.table.operations import Key, item_key
from homeshelf.table.schema import Table
from homeshelf.table.values import DIGITS, EXACT

Wired = dict[str, Any]
"""A value such as `{"S": "milk"}`."""


def to_wire(item: Mapping[str, Any]) -> dict[str, Wired]:
    return {
        name: {"S": value} if type(value) is str else value_to_wire(value)
        for name, value in item.items()
    }


def value_to_wire(value: Any) -> Wired:
    letter = kind(value)
    match letter:
        case "S" | "BOOL":
            return {letter: value}
        case "N":
            text = str(value)
            return {"N": text if len(text) <= DIGITS else str(EXACT.normalize(Decimal(value)))}
        case "NULL":
            return {"NULL": True}
        case "L":
            return {"L": [value_to_wire(part) for part in value]}
        case "M":
            return {"M": to_wire(value)}
    raise BadRequest(f"{type(value).__name__} cannot be stored")


def from_wire(wired: dict[str, Wired]) -> dict[str, Value]:
    """Remove the tags in place, because a query returns hundreds of values."""
    item: dict[str, Any] = wired
    for name, tagged in item.items():
        # Most values are texts, and this check is faster than unpacking the tag.
        if "S" in tagged:
            item[name] = tagged["S"]
        elif "N" in tagged:
            item[name] = _number(tagged["N"])
        elif "NULL" in tagged:
            item[name] = None
        elif "BOOL" in tagged:
            item[name] = tagged["BOOL"]
        elif "L" in tagged:
            item[name] = [from_wire({"": part})[""] for part in tagged["L"]]
        elif "M" in tagged:
            item[name] = from_wire(tagged["M"])
        else:
            raise _ForeignValue(f"it holds a value of DynamoDB's type {next(iter(tagged))}")
    return item


def read_item(table: Table, wired: dict[str, Wired]) -> dict[str, Value]:
    """Remove the tags in place; raise `Unreadable` for a type that we never store."""
    try:
        return from_wire(wired)
    except _ForeignValue as foreign:
        raise Unreadable(_key_of(table, wired), str(foreign)) from None


def unexpired(table: Table, wired: dict[str, Wired] | None, now: int) -> dict[str, Value] | None:
    expires = wired.get(table.ttl, {}).get("N") if wired and table.ttl else None
    if wired is None or (expires is not None and _number(expires) <= now):
        return None
    return read_item(table, wired)


def _key_of(table: Table, wired: dict[str, Any]) -> Key[Item]:
    """Return the key of an item that is only partly converted."""
    partition, sort = (
        from_wire({name: wired[name]})[name] if isinstance(wired[name], dict) else wired[name]
        for name in (table.partition, table.sort)
    )
    return item_key(table, partition, sort)


class _ForeignValue(Exception):
    pass


def _number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else EXACT.normalize(number)


def readable(
    table: Table, items: list[Any], unreadable: list[Key[Item]]
) -> Iterator[dict[str, Value]]:
    for wired in items:
        try:
            yield read_item(table, wired)
        except Unreadable as skipped:
            unreadable.append(skipped.key)
