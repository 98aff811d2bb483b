"""What becomes of a transaction on DynamoDB: why it was cancelled, and its token's time."""

from collections.abc import Sequence

from homeshelf.table.dynamodb_errors import (
    BUSY,
    CONTESTED,
    OTHERS_FIRST,
    TOO_BUSY,
    Refused,
    invalid,
)
from homeshelf.table.dynamodb_items import living
from homeshelf.table.engine import TransactionCancelled
from homeshelf.table.operations import Write

TOKEN_SECONDS = 600


class TokenTimes:
    """The time that the conditions of a transaction speak of, by its token.

    A server compares all that comes under a token, that time included. A transaction can only be
    the same in the process that repeats it, so the process is where its time is kept.
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def of(self, token: str | None, now: int) -> int:
        if token is None:
            return now
        while self._times and next(iter(self._times.values())) <= now - TOKEN_SECONDS:
            del self._times[next(iter(self._times))]
        return self._times.setdefault(token, now)

    def forget(self, token: str | None) -> None:
        """Nothing happened under this token: it is as good as new."""
        if token is not None:
            self._times.pop(token, None)


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
