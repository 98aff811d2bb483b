"""Conditions, changes and queries in DynamoDB's expression language.

A record whose `ttl` has passed is absent: "absent" also holds of an expired one, and everything
that is said of a record also says `NOT ttl <= :now`, which is true of a null and of no `ttl`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from homeshelf.table.dynamodb.items import Wired, value_to_wire
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
    exists,
)
from homeshelf.table.operations import Between, Equals, Prefix, Query
from homeshelf.table.schema import Table

FIRST_VALUE, NOW = ":0", ":now"


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
            names = {placeholder: name for name, placeholder in self._names.items()}
            request["ExpressionAttributeNames"] = names
        if self._values:
            request["ExpressionAttributeValues"] = self._values
        return request

    def condition(self, when: Condition | None, *, of_record: bool) -> str:
        """The condition of a write, empty where there is none."""
        parts = [self._about_record(exists)] if of_record else []
        alive = of_record
        for part in _flat(when):
            match part:
                case Absent():
                    parts.append(self._missing_or_expired(self._table.partition))
                case Missing(attribute):
                    parts.append(self._missing_or_expired(attribute))
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
        names = query.cursor_attributes
        partition = f"{self._name(names[0])} = {self._value(query.partition)}"
        if query.sort is None:
            return partition
        name = self._name(names[1])
        match query.sort:
            case Equals(value):
                return f"{partition} AND {name} = {self._value(value)}"
            case Prefix(value):
                return f"{partition} AND begins_with({name}, {self._value(value)})"
            case Between(low, high):
                return f"{partition} AND {name} BETWEEN {self._value(low)} AND {self._value(high)}"

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
            case Compare(attribute, operator, operand):
                other = (
                    self._name(operand.name)
                    if isinstance(operand, Attribute)
                    else self._value(operand)
                )
                return f"{self._name(attribute)} {operator} {other}"
            case Exists():
                return f"attribute_exists({self._name(self._table.partition)})"
            case Missing(attribute):
                return f"attribute_not_exists({self._name(attribute)})"
            case OneOf(attribute, values):
                return f"{self._name(attribute)} IN ({', '.join(map(self._value, values))})"
        raise TypeError(f"not a condition: {part!r}")

    def _missing_or_expired(self, attribute: str) -> str:
        expired = f" OR {self._expired()}" if self._table.ttl else ""
        return f"(attribute_not_exists({self._name(attribute)}){expired})"

    def _expired(self) -> str:
        self._values[NOW] = {"N": str(self._now)}
        return f"{self._name(self._table.ttl or '')} <= {NOW}"

    def _name(self, attribute: str) -> str:
        return self._names.setdefault(attribute, f"#{len(self._names)}")

    def _value(self, value: Value) -> str:
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value_to_wire(value)
        return placeholder


def _flat(condition: Condition | None) -> Iterator[Condition]:
    if isinstance(condition, All):
        for part in condition.parts:
            yield from _flat(part)
    elif condition is not None:
        yield condition
