"""Conditions, changes and queries in DynamoDB's expression language.

A record whose `ttl` has passed is absent: "absent" also holds of an expired one, and everything
that is said of a record also says `NOT ttl <= :now`, which is true of a null and of no `ttl`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from homeshelf.table.dynamodb_items import Wired, to_wire, value_to_wire
from homeshelf.table.expressions import (
    Absent,
    Add,
    All,
    Attribute,
    Change,
    Compare,
    Condition,
    Exists,
    Missing,
    OneOf,
    Remove,
    Set,
    Value,
    absent,
)
from homeshelf.table.limits import last_key
from homeshelf.table.operations import Between, Check, Delete, Equals, Prefix, Put, Query, Write
from homeshelf.table.schema import Table


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
        match query.sort:
            case Equals(value):
                return f"{partition} AND {name} = {self._value(value)}"
            case Prefix(value):
                # Not begins_with: dynoxide's ignores case, and ExtendDB's misses U+10FFFF.
                between = f"{self._value(value)} AND {self._value(last_key(value))}"
                return f"{partition} AND {name} BETWEEN {between}"
            case Between(low, high):
                between = f"{self._value(low)} AND {self._value(high)}"
                return f"{partition} AND {name} BETWEEN {between}"

    def update(self, changes: Sequence[Change]) -> str:
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
        self._values[":now"] = {"N": str(self._now)}
        return f"{self._name(self._table.ttl or '')} <= :now"

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


def write_request(name: str, write: Write, now: int) -> dict[str, Any]:
    """The request of a write by itself or as part of a transaction."""
    request: dict[str, Any] = {"TableName": name}
    if isinstance(write, Put) and (write.when is None or write.when is absent):
        request["Item"] = to_wire(write.item)
        return request if write.when is None else request | _if_absent(write.table, now)
    expressions = Expressions(write.table, now)
    of_record = False
    match write:
        case Put(_, item):
            request["Item"] = to_wire(item)
        case Delete(key) | Check(key):
            request["Key"] = to_wire(key.attributes)
        case _:
            request["Key"] = to_wire(write.key.attributes)
            request["UpdateExpression"] = expressions.update(write.changes)
            of_record = True
    if condition := expressions.condition(write.when, of_record=of_record):
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return expressions.into(request)


def _if_absent(table: Table, now: int) -> dict[str, Any]:
    """What most puts ask for; the time is all that changes in it."""
    asked = _absent(table)
    return asked | {"ExpressionAttributeValues": {":now": {"N": str(now)}}} if table.ttl else asked


@cache
def _absent(table: Table) -> dict[str, Any]:
    expressions = Expressions(table, 0)
    request = {
        "ConditionExpression": expressions.condition(absent, of_record=False),
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    return expressions.into(request)


def query_request(name: str, query: Query[Any], now: int) -> dict[str, Any]:
    expressions = Expressions(query.table, now)
    request: dict[str, Any] = {
        "TableName": name,
        "KeyConditionExpression": expressions.key(query),
        "ConsistentRead": query.consistent,
        "ScanIndexForward": not query.descending,
    }
    if query.index:
        request["IndexName"] = query.index
    if found := expressions.filter(query.filter):
        request["FilterExpression"] = found
    return expressions.into(request)


def scan_request(name: str, table: Table, now: int) -> dict[str, Any]:
    expressions = Expressions(table, now)
    request: dict[str, Any] = {"TableName": name, "ConsistentRead": True}
    if found := expressions.filter(None):
        request["FilterExpression"] = found
    return expressions.into(request)


def start_key(start: Mapping[str, Any], names: Sequence[str]) -> dict[str, Wired]:
    return to_wire({name: start[name] for name in names})


def _flat(condition: Condition | None) -> Iterator[Condition]:
    if isinstance(condition, All):
        for part in condition.parts:
            yield from _flat(part)
    elif condition is not None:
        yield condition
