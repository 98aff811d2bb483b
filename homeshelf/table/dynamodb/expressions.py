"""Conditions, changes and queries in DynamoDB's expression language.

A record whose `ttl` has passed is absent: "absent" also holds of an expired one, and everything
that is said of a record also says `NOT ttl <= :now`, which is true of a null and of no `ttl`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from homeshelf.table.dynamodb.items import Wired, number_to_wire, value_to_wire
from homeshelf.table.expressions import (
    Absent,
    Add,
    All,
    Attribute,
    Compare,
    Condition,
    Exists,
    Missing,
    OneOf,
    Remove,
    Set,
    UpdateAction,
    Value,
)
from homeshelf.table.operations import Between, Equals, KeyValue, Prefix, Query, Sort
from homeshelf.table.schema import Table

NOW = ":now"


class Expressions:
    """The expressions of one request, and the names and values that they refer to."""

    def __init__(self, table: Table, now: int) -> None:
        self._table = table
        self._now = now
        self._names: dict[str, str] = {}
        self._values: dict[str, Wired] = {}

    def into(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request with the names and values; DynamoDB refuses them where they are empty."""
        if self._names:
            request["ExpressionAttributeNames"] = self._names
        if self._values:
            request["ExpressionAttributeValues"] = self._values
        return request

    def condition(self, when: Condition | None, *, of_record: bool) -> str:
        """The condition of a write, empty where there is none."""
        if when is None and not of_record:
            return ""
        parts = [f"attribute_exists({self._name(self._table.partition)})"] if of_record else []
        alive = of_record
        expired = f" OR {self._expired()}" if self._table.ttl else ""
        for part in _flat(when):
            match part:
                case Absent():
                    name = self._name(self._table.partition)
                    parts.append(f"(attribute_not_exists({name}){expired})")
                case Missing(attribute):
                    parts.append(f"(attribute_not_exists({self._name(attribute)}){expired})")
                case _:
                    parts.append(self._about_record(part))
                    alive = True
        if alive and self._table.ttl:
            parts.append(f"NOT {self._expired()}")
        return " AND ".join(parts)

    def filter(self, condition: Condition | None) -> str:
        """What a query returns, empty where it returns all."""
        parts = [self._about_record(part) for part in _flat(condition)]
        if self._table.ttl:
            parts.append(f"NOT {self._expired()}")
        return " AND ".join(parts)

    def key(self, query: Query[Any]) -> str:
        partition = f"{self._name(query.partition_attribute)} = {self._value(query.partition)}"
        if query.sort is None:
            return partition
        name = self._name(query.sort_attribute)
        values = [self._value(value) for value in bounds(query.sort)]
        match query.sort:
            case Equals():
                return f"{partition} AND {name} = {values[0]}"
            case Prefix():
                return f"{partition} AND begins_with({name}, {values[0]})"
            case Between():
                return f"{partition} AND {name} BETWEEN {values[0]} AND {values[1]}"

    def update(self, changes: Sequence[UpdateAction]) -> str:
        sets, removes, adds = [], [], []
        for change in changes:
            name = self._name(change.attribute)
            match change:
                case Set(_, value):
                    sets.append(f"{name} = {self._value(value)}")
                case Remove():
                    removes.append(name)
                case Add(_, amount):
                    adds.append(f"{name} {self._value(amount)}")
        clauses = (("SET", sets), ("REMOVE", removes), ("ADD", adds))
        return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)

    def _about_record(self, part: Condition) -> str:
        match part:
            case Exists():
                return f"attribute_exists({self._name(self._table.partition)})"
            case Missing(attribute):
                return f"attribute_not_exists({self._name(attribute)})"
            case OneOf(attribute, values):
                return f"{self._name(attribute)} IN ({', '.join(map(self._value, values))})"
            case Compare(attribute, operator, operand):
                other = (
                    self._name(operand.name)
                    if isinstance(operand, Attribute)
                    else self._value(operand)
                )
                return f"{self._name(attribute)} {operator} {other}"
        raise TypeError(f"not a condition: {part!r}")

    def _expired(self) -> str:
        self._values[NOW] = number_to_wire(self._now)
        return f"{self._name(self._table.ttl or '')} <= {NOW}"

    def _name(self, attribute: str) -> str:
        # A placeholder says what it stands for where the grammar lets it and an expression has room
        # for a hundred; "#3" is nobody's name.
        readable = len(attribute) <= 24 and attribute.isidentifier() and attribute.isascii()
        placeholder = f"#{attribute}" if readable else f"#{len(self._names)}"
        self._names[placeholder] = attribute
        return placeholder

    def _value(self, value: Value) -> str:
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value_to_wire(value)
        return placeholder


def bounds(sort: Sort | None) -> tuple[KeyValue, ...]:
    """What a sort key is or begins with, or from which to which it goes; nothing for any."""
    if sort is None:
        return ()
    match sort:
        case Equals(value) | Prefix(value):
            return (value,)
        case Between(low, high):
            return (low, high)


def _flat(condition: Condition | None) -> Iterator[Condition]:
    if isinstance(condition, All):
        for part in condition.parts:
            yield from _flat(part)
    elif condition is not None:
        yield condition
