"""How much of a body is read, and of whom: who is asking is looked at before it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from homeshelf.errors import HomeshelfError, Invalid, TooLarge
from homeshelf.sentences import _
from homeshelf.table import TableError
from homeshelf.web.marks import Handler, marked
from homeshelf.web.problems import Refused, as_ours

RequireSomebody = Callable[[Request], Awaitable[None]]


@dataclass(frozen=True)
class BodyLimits:
    nobody: int = 64_000
    somebody: int = 1_500_000
    counted: bool = True
    """Whether a body counts towards what a signed-in person may send in a day."""


def body_limits(limits: BodyLimits) -> Callable[[Handler], Handler]:
    """For a handler that reads more than others do, or more of strangers."""
    return marked(body_limits=limits)


def limits_of(scope: Scope) -> BodyLimits:
    found: BodyLimits = getattr(scope.get("endpoint"), "body_limits", _DEFAULT)
    return found


def limited(scope: Scope, receive: Receive, require_somebody: RequireSomebody) -> Receive:
    """Reads a body as far as it may be read; what says how long it is, is believed before."""
    most: int | None = None
    total, more = 0, True

    async def look(length: int) -> int:
        limits = limits_of(scope)
        if length <= limits.nobody:
            return limits.nobody
        if length > limits.somebody:
            raise Refused(TooLarge())
        try:
            await require_somebody(Request(scope))
        except (HomeshelfError, TableError) as error:
            raise Refused(as_ours(error)) from None
        return limits.somebody

    async def read() -> Message:
        nonlocal most, total, more
        if most is None:
            most = await look(_declared(Headers(scope=scope)))
        message = await receive()
        if more and message["type"] == "http.disconnect":
            # Starlette's own error would be taken for one that nobody foresaw.
            raise Refused(Invalid([], _("The request broke off.")))
        total, more = total + len(message.get("body", b"")), message.get("more_body", False)
        if total > most:
            most = await look(total)
        return message

    return read


_DEFAULT = BodyLimits()


def _declared(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() else 0
