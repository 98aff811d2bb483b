"""Why a server cancelled a transaction."""

from collections.abc import Sequence

from homeshelf.table.dynamodb.errors import (
    BUSY,
    CONTESTED,
    OTHERS_FIRST,
    TOO_BUSY,
    Refused,
    invalid,
)
from homeshelf.table.dynamodb.items import living
from homeshelf.table.engine import TransactionCancelled
from homeshelf.table.operations import Write


def what_stops(refused: Refused, writes: Sequence[Write], now: int) -> str:
    """Raises what cancelled the transaction for good, or says what stands in its way for now.

    A condition that does not hold decides, whatever else went wrong.
    """
    reasons = refused.answer.get("CancellationReasons") or []
    failures = [
        (write, living(write.table, reason.get("Item"), now))
        for write, reason in zip(writes, reasons, strict=False)
        if reason["Code"] == "ConditionalCheckFailed"
    ]
    if failures:
        raise TransactionCancelled(failures) from None
    codes = {reason["Code"] for reason in reasons} - {"None"}
    if not codes:
        raise invalid(refused.message) from None
    for reason in reasons:
        if reason["Code"] not in {"None", *BUSY, *CONTESTED}:
            raise invalid(reason.get("Message") or reason["Code"]) from None
    return TOO_BUSY if codes <= BUSY else OTHERS_FIRST
