"""Whose request begins next: households take turns, and only a few begin in each round of the loop.

Who sends thousands waits for their own; the request of anybody else is the next one.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from homeshelf.serving.exchange import Exchange
from homeshelf.web.short_way import Head, PlainRequest, ShortWay

if TYPE_CHECKING:
    from homeshelf.serving.connection import Connection

BEGUN_AT_ONCE = 8


class Turns:
    def __init__(self, loop: asyncio.AbstractEventLoop, begin: Callable[[Exchange], None]) -> None:
        self._loop = loop
        self._begin = begin
        self._left = BEGUN_AT_ONCE
        self._waiting: dict[str | None, deque[Exchange]] = {}
        """Households in the order of their turns."""

    def take(self, household: str | None, exchange: Exchange) -> None:
        if self._left and not self._waiting:
            self._give(exchange)
        else:
            self._waiting.setdefault(household, deque()).append(exchange)

    def _give(self, exchange: Exchange) -> None:
        if self._left == BEGUN_AT_ONCE:
            self._loop.call_soon(self._next_round)
        self._left -= 1
        self._begin(exchange)

    def _next_round(self) -> None:
        self._left = BEGUN_AT_ONCE
        while self._left and self._waiting:
            household = next(iter(self._waiting))
            those = self._waiting.pop(household)
            exchange = those.popleft()
            if those:
                self._waiting[household] = those
            if not exchange.is_over:  # who left while waiting would not be told anyway
                self._give(exchange)


BATCH = 32
"""At most: more would keep the first of them waiting and gain nothing."""


class Batches:
    """The short way: requests that are answered without what ASGI takes for each of them.

    It is for plain ones alone: a GET without a body that came whole over HTTP/1.1, with no other
    before it or after it, on a connection that stays open. Those that came in the same round of the
    loop are answered in a batch. All others take the long way, and so does what the application has
    no reply for; either way an answer has the same bytes.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, short_way: ShortWay) -> None:
        self._loop = loop
        self._short_way = short_way
        self._waiting: list[tuple[Connection, PlainRequest]] = []

    def takes(self, head: Head) -> bool:
        return (
            head.target.startswith(self._short_way.start)
            and head.method == "GET"
            and head.http_version == "1.1"
            and head.keeps_alive
            and not head.body_bytes
            and not head.expects_continue
        )

    def add(self, connection: "Connection", request: PlainRequest) -> None:
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
