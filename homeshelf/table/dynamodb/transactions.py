"""What becomes of a transaction on DynamoDB: what it said first, and why it was cancelled."""

from collections.abc import Sequence

from homeshelf import clock
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
from homeshelf.table.operations import PutInOrder, Write

TOKEN_SECONDS = 600


class FirstTime:
    """What a transaction said when it was first sent: its time, and the ids it gave."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self._ids: list[str] = []

    def numbered(self, writes: Sequence[Write]) -> list[Write]:
        ordered = sum(isinstance(write, PutInOrder) for write in writes)
        self._ids += [clock.ordered_id() for _ in range(ordered - len(self._ids))]
        ids = iter(self._ids)
        return [w.numbered(next(ids)) if isinstance(w, PutInOrder) else w for w in writes]


class FirstTimes:
    """By the token of a transaction.

    A server compares all that comes under a token. A transaction can only be the same in the
    process that repeats it, so the process is where this is kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, FirstTime] = {}

    def of(self, token: str | None, now: int) -> FirstTime:
        if token is None:
            return FirstTime(now)
        while self._kept and next(iter(self._kept.values())).seconds <= now - TOKEN_SECONDS:
            del self._kept[next(iter(self._kept))]
        return self._kept.setdefault(token, FirstTime(now))

    def forget(self, token: str | None) -> None:
        """Nothing happened under this token: it is as good as new."""
        if token is not None:
            self._kept.pop(token, None)


def numbered(write: Write) -> Write:
    """A write by itself, as it is sent."""
    return write.numbered(clock.ordered_id()) if isinstance(write, PutInOrder) else write


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
