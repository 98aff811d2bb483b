"""Limits of request bodies, which a handler can declare beside its route."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import Scope

Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True)
class BodyLimits:
    nobody: int = 64_000
    somebody: int = 1_500_000
    counted: bool = True
    """True if a body counts towards the daily volume of a signed-in caller."""
    on_disk: bool = False
    """True if the handler reads the body with `spooled`, so that it is never in memory."""
    errors: int = 50
    """The largest number of bad fields to report."""


def body_limits(limits: BodyLimits) -> Callable[[Handler], Handler]:
    def declare(handler: Handler) -> Handler:
        _declared[handler] = limits
        return handler

    return declare


def limits_of(scope: Scope) -> BodyLimits:
    return _declared.get(scope.get("endpoint"), _DEFAULT)


_declared: dict[object, BodyLimits] = {}
_DEFAULT = BodyLimits()
