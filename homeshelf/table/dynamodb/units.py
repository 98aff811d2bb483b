"""What DynamoDB charges for a request, as its answer says."""

from collections.abc import Mapping
from typing import Any

from homeshelf.table.dynamodb.wire import READS
from homeshelf.table.engine import Units


def charged(operation: str, answer: Mapping[str, Any]) -> Units:
    consumed = answer.get("ConsumedCapacity") or ()
    tables = [consumed] if isinstance(consumed, Mapping) else consumed
    units = sum(float(table["CapacityUnits"]) for table in tables)
    return Units(read=units) if operation in READS else Units(write=units)


def charged_for_refusal(request: Mapping[str, Any]) -> Units:
    """At least this: a refusal does not say what it cost, and costs as much as what it refuses."""
    together = request.get("TransactItems")
    return Units(write=1 if together is None else 2 * len(together))
