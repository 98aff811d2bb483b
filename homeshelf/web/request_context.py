"""Facts about one request that its handlers share with the middleware."""

from dataclasses import dataclass
from typing import IO

from starlette.types import Scope

_KEY = "homeshelf.context"


@dataclass
class RequestContext:
    is_head: bool = False
    cookie: str | None = None
    """The renewed session cookie, for a response that sets none itself."""
    is_part: bool = False
    """True if the response is a script or a sheet, to which the policy of its page applies."""
    is_uniform: bool = False
    """True if the response must be the same for every caller, headers included."""
    spooled: IO[bytes] | None = None
    """The body on disk, until the handler takes it."""


def context_of(scope: Scope) -> RequestContext:
    if _KEY not in scope:
        scope[_KEY] = RequestContext()
    context: RequestContext = scope[_KEY]
    return context
