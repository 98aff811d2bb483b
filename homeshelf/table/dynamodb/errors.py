"""Translation of a DynamoDB server's errors into those of the contract."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.table.dynamodb.items import unexpired
from homeshelf.table.engine import (
    BadRequest,
    CannotOpen,
    ItemTooLarge,
    TableError,
    TransactionCancelled,
    Unavailable,
)
from homeshelf.table.operations import Write

CONDITION_FAILED = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
NO_SUCH_TABLE = "ResourceNotFoundException"
UNKNOWN_OPERATION = "UnknownOperationException"
BUSY = {
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingError",
    "ThrottlingException",
}
CONTESTED = {
    "ReplicatedWriteConflictException",
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
}
STRANGERS = {
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignatureException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "UnrecognizedClientException",
}
TOO_BUSY = "is too busy"
OTHERS_FIRST = "is changing the same records for others"
PASSING = {"LimitExceededException", "ResourceInUseException"}


class RequestRefused(Exception):
    def __init__(self, code: str, message: str, answer: Mapping[str, Any]) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.answer = answer
        self.doubtful = False
        """True if an earlier attempt may have succeeded."""


def table_error(refused: RequestRefused, operation: str, endpoint: str) -> TableError:
    code, message = refused.code, refused.message
    if code == NO_SUCH_TABLE:
        return CannotOpen(
            f"A table is missing at {endpoint}; `homeshelf tables create` makes what is missing."
        )
    if code in STRANGERS:
        return CannotOpen(
            f"{endpoint} does not accept the AWS credentials; check them, what they allow "
            f"and this machine's clock ({message or code})."
        )
    if code == UNKNOWN_OPERATION:
        return CannotOpen(
            f"The database at {endpoint} does not support {operation}, which Homeshelf needs."
        )
    if code in PASSING:
        return Unavailable(f"The database at {endpoint} is being changed; try again later.")
    return invalid(message or code)


def invalid(message: str) -> BadRequest:
    too_large = message.startswith("Item size") and "exceeded" in message
    return ItemTooLarge(message) if too_large else BadRequest(message)


def raise_or_explain(refused: RequestRefused, writes: Sequence[Write], now: int) -> str:
    """Raise the final error of a cancelled transaction, or return the reason to retry."""
    reasons = refused.answer.get("CancellationReasons") or []
    failures = [
        (write, unexpired(write.table, reason.get("Item"), now))
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
