"""Rate limits, which raise RateLimited with the time to retry.

limits.writes.take(member_id)                   a rate, in this process
with streams.hold(member_id): ...               a number at once, in this process
async with limits.attempt(counts, lanes=lanes) as (attempt, lane):
    ...                                         a rate of failures, over all processes
    await attempt.mark_success()                     the attempt did not fail
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from fastapi import Request

from homeshelf import clock, ip
from homeshelf.config import Rate, Settings
from homeshelf.coordination.attempts import Attempt, Count, GlobalCount
from homeshelf.errors import RateLimited, Unavailable
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.table.queues import Locks

HASHED_AT_ONCE = 2
PLACES = 60
"""The queue length of each lane: a second or two of work."""
WAITING_FOR_A_TURN = 50
MOST_NAMES = 10_000
"""The most names of each limit in memory, because anonymous clients can make up any number."""

T = TypeVar("T")


class Limits:
    """The limits that slices share, and with `of` the own limits of each slice."""

    def __init__(self, settings: Settings, db: Database) -> None:
        self.settings = settings
        self.writes = RateLimit(settings.limit_writes)
        self.writes_size = VolumeLimit(settings.limit_writes_size)
        self.unknown = RateLimit(settings.limit_unknown)
        self.hashing = Lanes(HASHED_AT_ONCE, PLACES)
        self.turns = TurnQueue(WAITING_FOR_A_TURN)
        self._own: dict[Callable[[Limits], Any], Any] = {}
        self._db = db

    def of(self, kind: "Callable[[Limits], T]") -> T:
        """Return a slice's own limits, created on first use: `of(BookLimits)`."""
        if kind not in self._own:
            self._own[kind] = kind(self)
        own: T = self._own[kind]
        return own

    @asynccontextmanager
    async def attempt(
        self,
        *counts: Count,
        successes: Count | None = None,
        global_count: GlobalCount | None = None,
        turn: str | None = None,
        lanes: "tuple[Lane, Lane]",
    ) -> "AsyncIterator[tuple[Attempt, Lane]]":
        """Count an attempt as failed until it is forgiven; the widest count is the last.

        Callers with the same widest count, or the same `turn`, take turns, so that one does not see
        the pending attempts of another as failures. The lane to hash in depends on whether the
        caller is known; a full one refuses without counting.
        """
        tried = Attempt(self._db, counts, successes, global_count)
        async with self.turns.take(turn or counts[-1].name):
            await tried.look()
            for_known, for_strangers = lanes
            lane = for_known if tried.known or global_count is None else for_strangers
            with lane.place():
                yield await tried.begin(), lane


class BoundedDict(OrderedDict[str, T]):
    """Values by name, without the least recently used name past MOST_NAMES."""

    def __setitem__(self, name: str, value: T) -> None:
        super().__setitem__(name, value)
        self.move_to_end(name)
        if len(self) > MOST_NAMES:
            self.popitem(last=False)


class RateLimit:
    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._taken: BoundedDict[deque[float]] = BoundedDict()
        self._swept = _now()

    def take(self, name: str, number: int = 1) -> None:
        now = _now()
        if not 0 <= now - self._swept <= self._rate.seconds:
            self._sweep(now)
        taken = self._taken[name] = self._forget(self._taken.get(name, deque()), now)
        over = len(taken) + number - self._rate.times
        if over > 0:
            raise RateLimited(taken[over - 1] + self._rate.seconds - now)
        taken.extend([now] * number)

    def take_rest(self, name: str, number: int) -> None:
        """Take the rest of a number of which one was taken, up to the limit."""
        self.take(name, min(number, self._rate.times) - 1)

    def _forget(self, taken: deque[float], now: float) -> deque[float]:
        """Drop expired times; future ones, left from before a clock was set back, count as now."""
        ahead = 0
        while taken and taken[-1] > now:
            taken.pop()
            ahead += 1
        taken.extend([now] * ahead)
        while taken and taken[0] <= now - self._rate.seconds:
            taken.popleft()
        return taken

    def _sweep(self, now: float) -> None:
        self._swept = now
        recent = {name: each for name, each in self._taken.items() if self._forget(each, now)}
        self._taken = BoundedDict(recent)


class VolumeLimit:
    """A limit on an amount per time for each name, counted in slices of that time."""

    SLICES = 24

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._slice = rate.seconds / self.SLICES
        self._taken: BoundedDict[dict[int, int]] = BoundedDict()
        self._swept = 0

    def take(self, name: str, amount: int) -> None:
        now = _now()
        number = int(now / self._slice)
        if number != self._swept:
            self._sweep(number)
        taken = self._taken[name] = self._taken.get(name, {})
        if sum(taken.values()) + amount > self._rate.times:
            raise RateLimited((min(taken, default=number) + self.SLICES + 1) * self._slice - now)
        taken[number] = taken.get(number, 0) + amount

    def _sweep(self, number: int) -> None:
        self._swept, first = number, number - self.SLICES
        recent: BoundedDict[dict[int, int]] = BoundedDict()
        for name, taken in self._taken.items():
            kept: Counter[int] = Counter()
            for each, much in taken.items():
                if each >= first:
                    kept[min(each, number)] += much  # later ones predate a clock set back
            if kept:
                recent[name] = kept
        self._taken = recent


class TurnQueue:
    """A queue for each name: one task runs, and at most `room` wait for a limited time."""

    PATIENCE_SECONDS = 10
    RETRY_SECONDS = 2

    def __init__(self, room: int) -> None:
        self._room = room
        self._locks: Locks[str] = Locks()

    @asynccontextmanager
    async def take(self, name: str) -> AsyncIterator[None]:
        late = RateLimited(self.RETRY_SECONDS)
        if self._locks.users(name) > self._room:
            raise late
        async with self._locks.hold(name, self.PATIENCE_SECONDS, late):
            yield


class ConcurrencyLimit:
    """A limit on the number at once for each name."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._held: Counter[str] = Counter()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        if self._held[name] >= self._number:
            raise RateLimited(30)
        self._held[name] += 1
        try:
            yield
        finally:
            self._held[name] -= 1
            if not self._held[name]:
                del self._held[name]


def address_of(request: Request) -> str:
    """Return the IPv4 address of a request, or the IPv6 /64 of its household."""
    return ip.household(request.client.host) if request.client else ""


def _now() -> float:
    return clock.nanoseconds() / 1e9


class Lanes:
    """A few threads that serve several queues: `with lane.place(): await lane.run(work)`.

    The lanes are served in turn, so that a crowd in one delays the others little. A full lane
    refuses at once instead of making a caller wait.
    """

    def __init__(self, threads: int, places: int) -> None:
        self.places = places
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="lanes")
        self.free = asyncio.Semaphore(threads)

    def lane(self) -> "Lane":
        return Lane(self)


class Lane:
    def __init__(self, lanes: Lanes) -> None:
        self.waiting = 0
        self._lanes = lanes
        self._taken = 0
        self._head = asyncio.Lock()
        """The lock of the first task in the lane, the only one that waits for a thread."""

    @contextmanager
    def place(self) -> Iterator["Lane"]:
        if self._taken >= self._lanes.places:
            raise Unavailable(2, _("Homeshelf is busy right now. Try again shortly."))
        self._taken += 1
        try:
            yield self
        finally:
            self._taken -= 1

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in a thread, which stays busy until it ends, even if the caller is gone."""
        threads, free = self._lanes.threads, self._lanes.free
        self.waiting += 1
        try:
            async with self._head:
                await free.acquire()
        finally:
            self.waiting -= 1
        running = asyncio.get_running_loop().run_in_executor(threads, work)
        running.add_done_callback(lambda _: free.release())
        return await asyncio.shield(running)
