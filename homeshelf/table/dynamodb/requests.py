"""Writes and queries as the bodies of DynamoDB's requests."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from homeshelf.table.dynamodb.expressions import FIRST_VALUE, NOW, Expressions
from homeshelf.table.dynamodb.items import Wired, from_wire, to_wire, value_to_wire
from homeshelf.table.expressions import Attribute, Compare, Item, Operator, same
from homeshelf.table.limits import checked_changes, checked_item
from homeshelf.table.operations import Check, Delete, Put, Query, Update, Write
from homeshelf.table.schema import Table

MOST_LOOKED_AT = 1000


def write_request(name: str, write: Write, now: int) -> dict[str, Any]:
    """The request of a write by itself or as part of a transaction; refused if a value is unfit."""
    request: dict[str, Any] = {"TableName": name}
    if isinstance(write, Put):
        request["Item"] = to_wire(checked_item(write.table, write.item))
    else:
        request["Key"] = to_wire(write.key.attributes)
    when = write.when
    if type(when) is Compare and type(when.operand) is not Attribute and type(write) is not Update:
        values = {FIRST_VALUE: value_to_wire(when.operand)}
        if write.table.ttl:
            values[NOW] = {"N": str(now)}
        request["ExpressionAttributeValues"] = values
        return request | _comparison(write.table, when.attribute, when.operator)
    expressions = Expressions(write.table, now)
    if isinstance(write, Update):
        changes = checked_changes(write.table, write.changes)
        request["UpdateExpression"] = expressions.update(changes)
    if condition := expressions.condition(when, of_record=isinstance(write, Update)):
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return expressions.into(request)


@lru_cache(1024)
def _comparison(table: Table, attribute: str, operator: Operator) -> dict[str, Any]:
    """What most writes say, but for the values; kept, as that is a tenth of a transaction."""
    expressions = Expressions(table, 0)
    condition = expressions.condition(Compare(attribute, operator, ""), of_record=False)
    return {
        "ConditionExpression": condition,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ExpressionAttributeNames": expressions.into({})["ExpressionAttributeNames"],
    }


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


def batched(write: Write) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": to_wire(checked_item(write.table, write.item))}}
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


def verb(write: Write) -> str:
    """What a transaction calls it."""
    match write:
        case Put():
            return "Put"
        case Update():
            return "Update"
        case Delete():
            return "Delete"
        case Check():
            return "ConditionCheck"
