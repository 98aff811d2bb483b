"""Server-sent events."""

import asyncio
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from homeshelf.live.listener import Listener

QUIET_SECONDS = 15.0
STALLED_SECONDS = 30.0
COMMENT = b": homeshelf\n\n"
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One event a changed record, and `reset` where some were missed.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'id: ...\ndata: {"type":"ShoppingListItem","id":"...","version":3}\n\n',
            }
        },
    }
}


class EventStream(Response):
    """A stream of server-sent events, for as long as its listener may hear them."""

    media_type = "text/event-stream"

    def __init__(
        self,
        place: AbstractContextManager[None],
        listening: AbstractAsyncContextManager[Listener],
    ) -> None:
        # A proxy that collects an answer before it passes it on would keep the news to itself.
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._place = place
        self._listening = listening

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            async with self._listening as listener:
                watcher = asyncio.create_task(_end_with_client(receive, listener))
                try:
                    await self._stream(send, listener)
                finally:
                    watcher.cancel()
                    with suppress(asyncio.CancelledError):
                        await watcher

    async def _stream(self, send: Send, listener: Listener) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await _send_some(send, COMMENT)
        with suppress(TimeoutError):
            while not listener.ended:
                news = await listener.news(QUIET_SECONDS)
                if news or not listener.ended:
                    await _send_some(send, news or COMMENT)
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_some(send: Send, body: bytes) -> None:
    """A client that takes nothing for so long is gone, though nobody said so."""
    async with asyncio.timeout(STALLED_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _end_with_client(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.end()
