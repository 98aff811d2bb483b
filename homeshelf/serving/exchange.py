"""One request and its answer, as the application sees them (ASGI)."""

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import structlog
from starlette.types import ASGIApp, Message

from homeshelf.serving.answer import CONTINUE, Answer
from homeshelf.serving.parser import Head
from homeshelf.web.spooling import PUT_AWAY

if TYPE_CHECKING:
    from homeshelf.serving.connection import Connection

log = structlog.get_logger()

MOST_UNREAD = 64 * 1024
REQUEST_BYTES, HEADER_BYTES = 1000, 150
_ASGI = {"version": "3.0", "spec_version": "2.3"}
_DISCONNECT: Message = {"type": "http.disconnect"}


class Exchange:
    def __init__(self, line: "Connection", head: Head) -> None:
        self._line = line
        self.head = head
        self.answer = Answer(head)
        self._unread = bytearray()
        """Of the body, what waits for the application: in one piece, because chunks may be tiny."""
        self.is_received = False
        self._is_read = False
        self.is_over = False
        """Whether the client is gone, or has all of its answer."""
        self._owes_continue = head.expects_continue
        self._waiter: asyncio.Future[None] | None = None

    @property
    def unread(self) -> int:
        return len(self._unread)

    @property
    def head_bytes(self) -> int:
        """What it takes in memory before the application begins, without a body."""
        return REQUEST_BYTES + HEADER_BYTES * len(self.head.headers)

    @property
    def is_startable(self) -> bool:
        """Whether the application is to begin: with all of a small body, or as a large one comes.

        What is never completed costs it nothing that way.
        """
        return (
            self.is_received
            or self._owes_continue
            or max(self.head.body_bytes, self.unread) > MOST_UNREAD
        )

    @property
    def keeps_alive(self) -> bool:
        return self.answer.keeps_alive and self.is_received

    def feed(self, chunk: bytes) -> None:
        self._owes_continue = False
        self._unread += chunk
        self._wake()

    def finish(self) -> None:
        self.is_received = True
        self._wake()

    def end(self) -> None:
        self.is_over = True
        self._wake()

    async def run(self, app: ASGIApp) -> None:
        try:
            await app(self._scope(), self._receive, self._send)
            if not self.answer.is_begun:
                await self._send({"type": "http.response.body"})
        except Exception:
            log.exception("request_broken_off")
        if not self.is_over:
            self._line.abort()

    def _scope(self) -> dict[str, Any]:
        head, line = self.head, self._line
        raw_path, _, question = head.target.partition(b"?")
        path = raw_path.decode("ascii")
        return {
            "type": "http",
            "asgi": _ASGI,
            "http_version": head.http_version,
            "server": line.server,
            "client": line.client,
            "scheme": line.scheme,
            "method": head.method,
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw_path,
            "query_string": question,
            "headers": head.headers,
            "extensions": {PUT_AWAY: line.was_put_away},
        }

    async def _receive(self) -> Message:
        while True:
            if not self._is_read and (self.is_received or self._unread):
                return self._read()
            if self.is_over:
                return _DISCONNECT
            if self._owes_continue:
                self._owes_continue = False
                self._line.write(CONTINUE)
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    def _read(self) -> Message:
        body = bytes(self._unread)
        self._unread.clear()
        self._is_read = self.is_received
        self._line.regulate()
        return {"type": "http.request", "body": body, "more_body": not self._is_read}

    async def _send(self, message: Message) -> None:
        if self.is_over:
            return
        if message["type"] == "http.response.start":
            self.answer.start(message["status"], message["headers"])
            return
        if not self.answer.is_begun and (self._line.is_ending or not self.is_received):
            self.answer.keeps_alive = False
        data = self.answer.add(message.get("body", b""), message.get("more_body", False))
        if data:
            self._line.write(data)
        if self.answer.is_complete:
            self.end()
            self._line.was_answered(self)
        else:
            await self._line.drained()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
