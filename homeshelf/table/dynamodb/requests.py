"""Writes and queries as the bodies of DynamoDB's requests.

Those that compare attributes with values, which most do, differ from one another in the values
alone: their expressions are written once and kept.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from homeshelf.table.dynamodb.expressions import NOW, Expressions, bounds
from homeshelf.table.dynamodb.items import Wired, checked_to_wire, from_wire, to_wire, value_to_wire
from homeshelf.table.expressions import (
    All,
    Attribute,
    Compare,
    Condition,
    Item,
    Operator,
    Value,
    absent,
    same,
)
from homeshelf.table.limits import checked_changes
from homeshelf.table.operations import (
    Between,
    Check,
    Delete,
    Equals,
    Prefix,
    Put,
    Query,
    Update,
    Write,
)
from homeshelf.table.schema import Table

KEPT = 1024
MOST_LOOKED_AT = 1000
_SORTS = {type(sort).__name__: sort for sort in (None, Equals(""), Prefix(""), Between("", ""))}

Comparisons = tuple[tuple[str, Operator], ...]
"""A conjunction of comparisons with values, without the values."""


def write_request(name: str, write: Write, now: int) -> dict[str, Any]:
    """The request of a write by itself or as part of a transaction; refused if a value is unfit."""
    request: dict[str, Any] = {"TableName": name}
    if isinstance(write, Put):
        request["Item"] = checked_to_wire(write.table, write.item)
    else:
        request["Key"] = to_wire(write.key.attributes)
    if isinstance(write, Update):
        changes = checked_changes(write.table, write.changes)
        expressions = Expressions(write.table, now)
        request["UpdateExpression"] = expressions.update(changes)
        return request | _on_condition(expressions, write.when, of_record=True)
    if write.when is None:
        return request
    if write.when is absent:
        return _if_absent(write.table).added_to(request, (), now)
    if (compared := _compared(write.when)) is not None:
        comparisons, values = compared
        return _if_compared(write.table, comparisons).added_to(request, values, now)
    return request | _on_condition(Expressions(write.table, now), write.when, of_record=False)


def query_request(name: str, query: Query[Any], now: int) -> dict[str, Any]:
    request: dict[str, Any] = {
        "TableName": name,
        "ConsistentRead": query.consistent,
        "ScanIndexForward": not query.descending,
    }
    compared = ((), ()) if query.filter is None else _compared(query.filter)
    if compared is None:
        return request | _searched(query, now)
    sort = bounds(query.sort)
    comparisons, values = compared
    asked = _search(query.table, query.index, type(query.sort).__name__, comparisons)
    return asked.added_to(request, (query.partition, *sort, *values), now)


def scan_request(name: str, table: Table, now: int) -> dict[str, Any]:
    expressions = Expressions(table, now)
    request: dict[str, Any] = {"TableName": name, "ConsistentRead": True}
    if found := expressions.filter(None):
        request["FilterExpression"] = found
    return expressions.into(request)


def start_key(start: Mapping[str, Any], names: Sequence[str]) -> dict[str, Wired]:
    return to_wire({name: start[name] for name in names})


class _Asked(NamedTuple):
    """Expressions, and what stands in them for the values."""

    request: dict[str, Any]
    placeholders: tuple[str, ...]
    timed: bool

    def added_to(
        self, request: dict[str, Any], values: tuple[Value, ...], now: int
    ) -> dict[str, Any]:
        request |= self.request
        wired = {NOW: {"N": str(now)}} if self.timed else {}
        for placeholder, value in zip(self.placeholders, values, strict=True):
            wired[placeholder] = {"S": value} if type(value) is str else value_to_wire(value)
        if wired:
            request["ExpressionAttributeValues"] = wired
        return request


@lru_cache(KEPT)
def _if_absent(table: Table) -> _Asked:
    return _asked(_on_condition(Expressions(table, 0), absent, of_record=False))


@lru_cache(KEPT)
def _if_compared(table: Table, comparisons: Comparisons) -> _Asked:
    condition = _with_any_values(comparisons)
    return _asked(_on_condition(Expressions(table, 0), condition, of_record=False))


@lru_cache(KEPT)
def _search(table: Table, index: str | None, kind: str, comparisons: Comparisons) -> _Asked:
    condition = _with_any_values(comparisons) if comparisons else None
    sort = _SORTS[kind]
    return _asked(_searched(Query(table, "", dict, index, sort, filter=condition), 0))


def _asked(request: dict[str, Any]) -> _Asked:
    values = request.pop("ExpressionAttributeValues", {})
    timed = values.pop(NOW, None) is not None
    return _Asked(request, tuple(values), timed)


def _on_condition(
    expressions: Expressions, when: Condition | None, *, of_record: bool
) -> dict[str, Any]:
    request: dict[str, Any] = {}
    if condition := expressions.condition(when, of_record=of_record):
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return expressions.into(request)


def _searched(query: Query[Any], now: int) -> dict[str, Any]:
    expressions = Expressions(query.table, now)
    request = {"KeyConditionExpression": expressions.key(query)}
    if query.index:
        request["IndexName"] = query.index
    if found := expressions.filter(query.filter):
        request["FilterExpression"] = found
    return expressions.into(request)


def _compared(condition: Condition) -> tuple[Comparisons, tuple[Value, ...]] | None:
    """The comparisons with values that it is made of, and the values, unless it is more."""
    if isinstance(condition, Compare):
        if isinstance(condition.operand, Attribute):
            return None
        return ((condition.attribute, condition.operator),), (condition.operand,)
    if isinstance(condition, All):
        comparisons: Comparisons = ()
        values: tuple[Value, ...] = ()
        for part in condition.parts:
            if (compared := _compared(part)) is None:
                return None
            comparisons, values = comparisons + compared[0], values + compared[1]
        return comparisons, values
    return None


def _with_any_values(comparisons: Comparisons) -> Condition:
    anything: Value = ""
    return All(tuple(Compare(name, operator, anything) for name, operator in comparisons))


def batched(write: Write) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": checked_to_wire(write.table, write.item)}}
    return {"DeleteRequest": {"Key": to_wire(write.key.attributes)}}


def look_at_more(request: dict[str, Any]) -> None:
    """Few of what was looked at passed the filter: the next look is further."""
    if looked_at := request.get("Limit"):
        request["Limit"] = min(4 * looked_at, max(MOST_LOOKED_AT, looked_at))


def has_happened(request: Mapping[str, Any], current: Item | None) -> bool:
    """Whether the table is as a put or a delete leaves it."""
    if "Item" in request:
        return current is not None and same(dict(current), from_wire(request["Item"]))
    return current is None


class _Verbs(dict[type[Write], str]):
    """By type; a kind of write that is a special one of another goes by that one's verb."""

    def __missing__(self, kind: type[Write]) -> str:
        self[kind] = next(self[ancestor] for ancestor in kind.__mro__ if ancestor in self)
        return self[kind]


VERBS = _Verbs({Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"})
