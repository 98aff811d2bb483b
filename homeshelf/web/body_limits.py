"""The limits of a request's body, which a handler may declare where its route is."""

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
    """Whether a body counts towards what a signed-in person may send in a day."""
    on_disk: bool = False
    """Whether only the handler reads the body, by `spooled`, so that it is never in memory."""
    errors: int = 50
    """The most bad fields that are named."""


def body_limits(limits: BodyLimits) -> Callable[[Handler], Handler]:
    def declare(handler: Handler) -> Handler:
        _declared[handler] = limits
        return handler

    return declare


def limits_of(scope: Scope) -> BodyLimits:
    """Return the limits of the handler of this request."""
    return _declared.get(scope.get("endpoint"), _DEFAULT)


_declared: dict[object, BodyLimits] = {}
_DEFAULT = BodyLimits()
