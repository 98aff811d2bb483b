"""Errors that a client can cause or meet, each with its status, code and sentence.

HomeshelfError
├── 400 Invalid              a field is invalid; names every such field
├── 401 Unauthenticated      no valid token; may say which credentials it needs
│       └── Disabled         the operator has disabled the account
├── 403 Forbidden            signed in, but without the right role
│       ├── NoFamily         signed in, but in no family
│       └── NotForChildren   signed in by a link, without a password or a provider
├── 404 NotFound             absent, or another family's
├── 409 ChooseFamily         in several families, and none was chosen
│       VersionConflict      changed since the client read it; shows the current record
│       Duplicate            it exists already; shows the existing record
│       LastAdmin            a family keeps at least one admin
│       InUse                other records refer to it; counts them
│       AlreadyReviewed      it was decided before; shows the decision
│       WrongState           its state does not allow this; shows the state
│       IdempotencyMismatch  the same key came with another request before
├── 410 Expired              it existed, and its time is over
├── 413 TooLarge             larger than the server reads
├── 422 ItemUnavailable      valid, but it names a record that cannot be used
│       LimitReached         a limit on the number of records is reached
│       UnreadableRecord     the stored record cannot be read
├── 429 RateLimited          too many requests; says when to retry
└── 503 Unavailable          the database is unavailable or overloaded; says when to retry
"""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from homeshelf.sentences import _


class HomeshelfError(Exception):
    status: ClassVar[int] = 500
    code: ClassVar[str] = "error"
    sentence: ClassVar[str] = _("Something went wrong.")

    def __init__(self, detail: str | None = None, **extra: Any) -> None:
        """Add `extra` values to the response, except those that are None."""
        super().__init__(detail or self.sentence)
        self.detail = detail or self.sentence
        self.extra = {name: value for name, value in extra.items() if value is not None}


class Invalid(HomeshelfError):
    status, code = 400, "validation"
    sentence = _("Check the marked fields and try again.")

    def __init__(self, errors: Sequence[tuple[str, str]], detail: str | None = None) -> None:
        super().__init__(detail or (errors[0][1] if len(errors) == 1 else None))
        self.errors = errors


class Unauthenticated(HomeshelfError):
    status, code, sentence = 401, "unauthenticated", _("Sign in first.")


class Disabled(Unauthenticated):
    sentence = _("This account is turned off. Ask the person who runs Homeshelf.")


class Forbidden(HomeshelfError):
    status, code, sentence = 403, "forbidden", _("Only an adult can do this.")


class NoFamily(Forbidden):
    code, sentence = "no_family", _("You’re not in a family yet.")


class NotForChildren(Forbidden):
    sentence = _("Ask an adult in your family to do this.")


class NotFound(HomeshelfError):
    status, code, sentence = 404, "not_found", _("There’s nothing here.")


class Conflict(HomeshelfError):
    status = 409
    shows: ClassVar[str] = "current"

    def __init__(self, record: object = None, detail: str | None = None) -> None:
        super().__init__(detail, **{self.shows: record})
        self.record = record


class ChooseFamily(Conflict):
    code, sentence = "choose_family", _("You’re in more than one family. Choose one first.")


class VersionConflict(Conflict):
    code, sentence = "version_conflict", _("Someone else changed this.")


class Duplicate(Conflict):
    code, sentence, shows = "duplicate", _("That already exists."), "existing"


class LastAdmin(Conflict):
    code, sentence = "last_admin", _("A family needs at least one adult.")


class InUse(Conflict):
    code, sentence, shows = "in_use", _("This is still in use."), "references"


class AlreadyReviewed(Conflict):
    code, sentence = "already_reviewed", _("Someone has already decided this.")


class WrongState(Conflict):
    code, sentence = "wrong_state", _("That isn’t possible right now.")


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"
    sentence = _("This idempotency key was already used for a different request.")


class Expired(HomeshelfError):
    status, code, sentence = 410, "expired", _("This has expired.")


class TooLarge(HomeshelfError):
    status, code, sentence = 413, "too_large", _("That’s too much at once.")


class ItemUnavailable(HomeshelfError):
    status, code, sentence = 422, "item_unavailable", _("This item isn’t available.")


class LimitReached(HomeshelfError):
    status, code, sentence = 422, "too_many", _("There’s no room for another.")


class UnreadableRecord(HomeshelfError):
    status, code = 422, "unreadable"
    sentence = _("Some stored data can’t be read.")

    def __init__(self, key: object) -> None:
        super().__init__()
        self.key = key


class RetryLater(HomeshelfError):
    def __init__(self, retry_after: float, detail: str | None = None) -> None:
        super().__init__(detail)
        self.retry_after = max(1, int(retry_after + 0.999))


class RateLimited(RetryLater):
    status, code, sentence = 429, "rate_limited", _("Too many tries. Wait a moment and try again.")


class Unavailable(RetryLater):
    status, code = 503, "unavailable"
    sentence = _("We can’t reach your household’s data right now. Try again in a moment.")


Found = TypeVar("Found")


def or_not_found(found: Found | None, detail: str | None = None) -> Found:
    if found is None:
        raise NotFound(detail)
    return found
