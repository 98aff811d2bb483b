"""Body size limits: a long body requires a signed-in caller."""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from homeshelf.errors import HomeshelfError, Invalid, TooLarge
from homeshelf.sentences import _
from homeshelf.table import TableError
from homeshelf.web.body_limits import limits_of
from homeshelf.web.problems import WrappedError, to_homeshelf_error

RequireSomebody = Callable[[Request], Awaitable[None]]


def limit_body(scope: Scope, receive: Receive, require_somebody: RequireSomebody) -> Receive:
    """Return a `receive` that refuses a body once it is, or declares to be, too long."""
    most: int | None = None
    total, more = 0, True

    async def look(length: int) -> int:
        limits = limits_of(scope)
        if length <= limits.nobody:
            return limits.nobody
        if length > limits.somebody:
            raise WrappedError(TooLarge())
        try:
            await require_somebody(Request(scope))
        except (HomeshelfError, TableError) as error:
            raise WrappedError(to_homeshelf_error(error)) from None
        return limits.somebody

    async def read() -> Message:
        nonlocal most, total, more
        if most is None:
            declared = Headers(scope=scope).get("content-length", "0")
            most = await look(int(declared) if declared.isdecimal() else 0)
        message = await receive()
        if more and message["type"] == "http.disconnect":
            # Starlette's own error would be logged as an unexpected one.
            raise WrappedError(Invalid([], _("The request was cut short.")))
        total, more = total + len(message.get("body", b"")), message.get("more_body", False)
        if total > most:
            most = await look(total)
        return message

    return read
