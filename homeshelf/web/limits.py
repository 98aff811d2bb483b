"""How often is too often.

    limits.signups.take(address)                    so many in so many seconds, in this process
    with limits.streams.hold(member_id): ...        so many at once, in this process
    async with limits.attempt(counts) as (attempt, place):
        ...                                         so many failures, over all processes
        await attempt.forgive()                     it was no failure

Past a limit each raises RateLimited, which says when to try again.
"""

from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from fastapi import Request

from homeshelf import clock, ip
from homeshelf.config import Settings
from homeshelf.config.values import Rate
from homeshelf.errors import RateLimited
from homeshelf.table import Database
from homeshelf.table.queues import Locks
from homeshelf.web.attempts import Anywhere, Attempt, Count, begin, look
from homeshelf.web.lanes import Lanes, Permit

HASHED_AT_ONCE = 2
PLACES = 60
"""In each lane: a second or two of work."""
WAITING_FOR_A_TURN = 50


class Limits:
    def __init__(self, settings: Settings, db: Database) -> None:
        self.signups = Pace(settings.limit_signups)
        self.links = Pace(settings.limit_links)
        self.letters = Pace(settings.limit_letters)
        self.news = Pace(settings.limit_news)
        self.taps = Pace(settings.limit_taps)
        self.taps_day = Pace(settings.limit_taps_day)
        self.unknown = Pace(settings.limit_unknown)
        self.writes = Pace(settings.limit_writes)
        self.imports = Pace(settings.limit_imports)
        self.import_previews = Pace(settings.limit_imports)
        self.shares = Pace(settings.limit_shares)
        self.shares_size = Volume(settings.limit_shares_size)
        self.shares_size_house = Volume(settings.limit_shares_size_house)
        self.share_streams = Places(settings.limit_share_streams)
        self.hashing = Hashing()
        self.turns = Turns(WAITING_FOR_A_TURN)
        self._db = db

    @asynccontextmanager
    async def attempt(
        self, *counts: Count, successes: Count | None = None, anywhere: Anywhere | None = None
    ) -> AsyncIterator[tuple[Attempt, Permit]]:
        """Count an attempt as failed until it is forgiven; the widest count is the last.

        Those who share that take turns: many who come in at the same moment wait for each other,
        rather than being counted as failures of one another. With the attempt comes a place to
        hash at; where there is none, nothing was tried and nothing counts.
        """
        async with self.turns.take(counts[-1].name):
            known = await look(self._db, successes, anywhere)
            lane = self.hashing.known if known or anywhere is None else self.hashing.strangers
            with lane.permit() as permit:
                yield await begin(self._db, counts, successes, anywhere, known), permit


class Hashing:
    """Where passwords wait to be hashed: neither guesses nor sign-ups hold up who is at home."""

    def __init__(self) -> None:
        lanes = Lanes(HASHED_AT_ONCE, PLACES)
        self.known = lanes.lane()
        """Who got in from there before, is signed in, or holds a mailed link."""
        self.strangers = lanes.lane()
        self.newcomers = lanes.lane()


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


class Volume:
    """So much in so many seconds for each name, in slices: it may be many small things."""

    SLICES = 24

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._slice = rate.seconds / self.SLICES
        self._taken: dict[str, dict[int, int]] = {}
        self._swept = 0

    def take(self, name: str, amount: int) -> None:
        now = _now()
        number = int(now / self._slice)
        if number != self._swept:
            self._sweep(number)
        taken = self._taken.setdefault(name, {})
        if sum(taken.values()) + amount > self._rate.times:
            oldest = min(taken, default=number)
            raise RateLimited((oldest + self.SLICES + 1) * self._slice - now)
        taken[number] = taken.get(number, 0) + amount

    def _sweep(self, number: int) -> None:
        self._swept, first = number, number - self.SLICES
        for name, taken in list(self._taken.items()):
            self._taken[name] = {each: much for each, much in taken.items() if each >= first}
            if not self._taken[name]:
                del self._taken[name]


class Turns:
    """One at a time for each name, with so many waiting, none of them for long."""

    PATIENCE_SECONDS = 10
    RETRY_SECONDS = 2

    def __init__(self, room: int) -> None:
        self._room = room
        self._locks: Locks[str] = Locks()

    @asynccontextmanager
    async def take(self, name: str) -> AsyncIterator[None]:
        late = RateLimited(self.RETRY_SECONDS)
        if self._locks.users[name] > self._room:
            raise late
        async with self._locks.hold(name, self.PATIENCE_SECONDS, late):
            yield


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
    return ip.household(request.client.host) if request.client else ""


def _now() -> float:
    return clock.nanoseconds() / 1e9
