"""Requests to DynamoDB for writes and queries, in its expression language."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.table.dynamodb.items import Wired, from_wire, to_wire, value_to_wire
from homeshelf.table.expressions import (
    Absent,
    Add,
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
    exists,
    same,
)
from homeshelf.table.limits import check_changes, check_item, parts_of
from homeshelf.table.operations import Between, Equals, Prefix, Put, Query, Update, Write
from homeshelf.table.schema import Table

MOST_LOOKED_AT = 1000


def write_request(name: str, write: Write, now: int) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": name}
    if isinstance(write, Put):
        request["Item"] = to_wire(check_item(write.table, write.item))
    else:
        request["Key"] = to_wire(write.key.attributes)
    expressions = Expressions(write.table, now)
    if isinstance(write, Update):
        request["UpdateExpression"] = expressions.update(check_changes(write.table, write.changes))
    if condition := expressions.condition(write.when, of_record=isinstance(write, Update)):
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return expressions.into(request)


def query_request(name: str, query: Query[Any], now: int) -> dict[str, Any]:
    expressions = Expressions(query.table, now)
    request: dict[str, Any] = {
        "TableName": name,
        "ConsistentRead": query.consistent,
        "ScanIndexForward": not query.descending,
        "KeyConditionExpression": expressions.key(query),
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


def batch_entry(write: Write) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": to_wire(check_item(write.table, write.item))}}
    return {"DeleteRequest": {"Key": to_wire(write.key.attributes)}}


def raise_limit(request: dict[str, Any]) -> None:
    """Raise the limit when few of the last records passed the filter."""
    if looked_at := request.get("Limit"):
        request["Limit"] = min(4 * looked_at, max(MOST_LOOKED_AT, looked_at))


def is_result_stored(request: Mapping[str, Any], current: Item | None) -> bool:
    if "Item" in request:
        return current is not None and same(dict(current), from_wire(request["Item"]))
    return current is None


NOW = ":now"


class Expressions:
    """The expressions of one request, with their names and values.

    An expired record counts as absent. So the condition "absent" also holds for an expired record,
    and any other condition includes `NOT ttl <= :now`, which is true without a `ttl`.
    """

    def __init__(self, table: Table, now: int) -> None:
        self._table = table
        self._now = now
        self._names: dict[str, str] = {}
        self._values: dict[str, Wired] = {}

    def into(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._names:
            request["ExpressionAttributeNames"] = {mark: name for name, mark in self._names.items()}
        if self._values:
            request["ExpressionAttributeValues"] = self._values
        return request

    def condition(self, when: Condition | None, *, of_record: bool) -> str:
        parts = [self._about_record(exists)] if of_record else []
        alive = of_record
        for part in parts_of(when):
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
        parts = [self._about_record(part) for part in parts_of(condition)]
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
