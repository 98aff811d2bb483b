"""Bodies that are too large for memory go to disk as they come."""

from tempfile import TemporaryFile
from typing import IO

from fastapi import Request

from homeshelf.serving.exchange import PUT_AWAY


async def spooled(request: Request) -> IO[bytes]:
    """The body as a file without a name: it is gone once it is closed, or its process."""
    file = TemporaryFile()  # noqa: SIM115  # the caller's to close
    try:
        async for part in request.stream():
            file.write(part)
            _tell(request, len(part))
    except BaseException:
        file.close()
        raise
    return file


def _tell(request: Request, number: int) -> None:
    """The server, where it is ours, which holds unfinished bodies to what they take in memory."""
    put_away = request.scope.get("extensions", {}).get(PUT_AWAY)
    if put_away is not None:
        put_away(number)
