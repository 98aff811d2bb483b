"""Request bodies that are written to disk as they arrive."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO

import structlog
from fastapi import Request

from homeshelf.errors import Unavailable
from homeshelf.web.request_context import context_of

PUT_AWAY = "homeshelf.put_away"
"""The ASGI extension to call with the number of body bytes written to disk."""
RETRY_SECONDS = 30

log = structlog.get_logger()


async def spool_body(request: Request) -> IO[bytes]:
    """Return the body as a temporary file, deleted when it is closed."""
    context = context_of(request.scope)
    waiting, context.spooled = context.spooled, None
    return waiting or await _read(request)


async def spool_body_for_later(request: Request) -> IO[bytes]:
    """Read the body now, for a later call of `spooled`."""
    file = context_of(request.scope).spooled = await _read(request)
    return file


def drop_spooled(request: Request) -> None:
    context = context_of(request.scope)
    if context.spooled is not None:
        context.spooled.close()


async def _read(request: Request) -> IO[bytes]:
    # Our server limits the memory of incomplete bodies; the test client has no such extension.
    count_stored = request.scope.get("extensions", {}).get(PUT_AWAY, lambda _: None)
    with _disk_full_as_unavailable():
        file = TemporaryFile()  # noqa: SIM115  # the caller's to close
    try:
        async for part in request.stream():
            with _disk_full_as_unavailable():
                file.write(part)
            count_stored(len(part))
        with _disk_full_as_unavailable():
            file.flush()
    except BaseException:
        with suppress(OSError):  # closing may flush again
            file.close()
        raise
    return file


@contextmanager
def _disk_full_as_unavailable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        log.warning("no_room_for_body", error=repr(error))
        raise Unavailable(RETRY_SECONDS) from None
