"""The short way: requests that are answered without what ASGI takes for each of them.

It is for plain ones alone: a GET without a body that came whole over HTTP/1.1, with no other before
it or after it, on a connection that stays open. Those that came in the same round of the loop are
answered in a batch. All others take the long way, and so does what the application has no reply
for; either way an answer has the same bytes.
"""

import asyncio
from typing import Protocol

from homeshelf.web.short_way import Head, PlainRequest, Reply, ShortWay

BATCH = 32
"""At most: more would keep the first of them waiting and gain nothing."""


class Requester(Protocol):
    """A connection with a plain request."""

    plain: Head | None
    """Which one, until it is answered or takes the long way."""

    def reply(self, reply: Reply | None) -> None: ...


class Batches:
    def __init__(self, loop: asyncio.AbstractEventLoop, short_way: ShortWay) -> None:
        self._loop = loop
        self._short_way = short_way
        self._waiting: list[tuple[Requester, PlainRequest]] = []

    def takes(self, head: Head) -> bool:
        return (
            head.target.startswith(self._short_way.start)
            and head.method == "GET"
            and head.http_version == "1.1"
            and head.keeps_alive
            and not head.body_bytes
            and not head.expects_continue
        )

    def add(self, connection: Requester, request: PlainRequest) -> None:
        if not self._waiting:
            self._loop.call_soon(self._answer)
        self._waiting.append((connection, request))
        if len(self._waiting) == BATCH:
            self._answer()

    def _answer(self) -> None:
        batch = [each for each in self._waiting if each[0].plain is each[1].head]
        self._waiting = []
        if batch:
            replies = self._short_way.replies([request for _, request in batch])
            for (connection, _), reply in zip(batch, replies, strict=True):
                connection.reply(reply)
