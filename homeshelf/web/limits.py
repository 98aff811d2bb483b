"""How often is too often.

    limits.signups.take(address)                    so many in so many seconds, in this process
    with limits.streams.hold(member_id): ...        so many at once, in this process
    async with limits.attempt(counts) as attempt:   so many failures, over all processes
        ...
        await attempt.forgive()                     it was no failure

Past a limit each raises RateLimited, which says when to try again.
"""

import asyncio
import ipaddress
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakValueDictionary

from fastapi import Request

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.errors import RateLimited
from homeshelf.table import Database
from homeshelf.values import Rate
from homeshelf.web.attempts import Attempt, Count, begin


class Limits:
    def __init__(self, settings: Settings, db: Database) -> None:
        self.signups = Pace(settings.limit_signups)
        self.letters = Pace(settings.limit_letters)
        self.invitations = Pace(settings.limit_invitations)
        self.news = Pace(settings.limit_news)
        self.writes = Pace(settings.limit_writes)
        self._db = db
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def attempt(self, *counts: Count) -> AsyncIterator[Attempt]:
        """Count an attempt as failed until it is forgiven; the widest count is the last.

        Those who share that take turns: many who come in at the same moment wait for each other,
        rather than being counted as failures of one another.
        """
        async with self._turns.setdefault(counts[-1].name, asyncio.Lock()):
            yield await begin(self._db, counts)


class Pace:
    """So many in so many seconds for each name."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._taken: defaultdict[str, deque[float]] = defaultdict(deque)
        self._swept = _now()

    def take(self, name: str) -> None:
        now = _now()
        if now - self._swept > self._rate.seconds:
            self._sweep(now)
        taken = self._forget(self._taken[name], now)
        if len(taken) >= self._rate.times:
            raise RateLimited(taken[0] + self._rate.seconds - now)
        taken.append(now)

    def _forget(self, taken: deque[float], now: float) -> deque[float]:
        while taken and taken[0] <= now - self._rate.seconds:
            taken.popleft()
        return taken

    def _sweep(self, now: float) -> None:
        self._swept = now
        for name in list(self._taken):
            if not self._forget(self._taken[name], now):
                del self._taken[name]


class Places:
    """So many at once for each name."""

    RETRY_SECONDS = 30

    def __init__(self, number: int) -> None:
        self._number = number
        self._held: Counter[str] = Counter()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        if self._held[name] >= self._number:
            raise RateLimited(self.RETRY_SECONDS)
        self._held[name] += 1
        try:
            yield
        finally:
            self._held[name] -= 1
            if not self._held[name]:
                del self._held[name]


def address_of(request: Request) -> str:
    """Where a request came from: an IPv4 address, or the /64 that one household has of IPv6."""
    text = request.client.host if request.client else ""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((found, 64), strict=False))
        found = found.ipv4_mapped
    return str(found)


def _now() -> float:
    return clock.nanoseconds() / 1e9
