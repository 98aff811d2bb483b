"""An open event stream.

async with Stream(url, "/api/v1/events", authorization) as stream:
    received_at = await stream.wait_for_event(item_id)
"""

import asyncio
from contextlib import suppress
from time import monotonic
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 10


class Stream:
    def __init__(self, url: str, path: str, authorization: str | None = None) -> None:
        self._url, self._path, self._authorization = urlsplit(url), path, authorization
        self._writer: asyncio.StreamWriter | None = None

    async def wait_for_event(self, id_: str) -> float:
        """Return the time at which the stream announces this record."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await self._reader.readuntil(f'"id":"{id_}"'.encode())
        return monotonic()

    async def __aenter__(self) -> "Stream":
        at = self._url
        self._reader, self._writer = await asyncio.open_connection(at.hostname, at.port)
        lines = [f"GET {self._path} HTTP/1.1", f"Host: {at.netloc}"]
        if self._authorization is not None:
            lines.append(f"Authorization: {self._authorization}")
        self._writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()
        self._writer = None
