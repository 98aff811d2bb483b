"""Whose request begins next: households take turns, and only a few begin in each round of the loop.

Who sends thousands waits for their own; the request of anybody else is the next one.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from homeshelf.serving.exchange import Exchange

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
