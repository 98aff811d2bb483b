"""Work for a few threads, which waits in lanes.

    with lane.permit() as permit:
        ...                             what need not be done for who finds the lane full
        await permit.run(work)

The lanes are served in turn, so that a crowd in one of them delays the others by little. Each has
so many places: past them somebody is told to come again, rather than waiting for long.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from homeshelf.errors import Unavailable
from homeshelf.sentences import _

T = TypeVar("T")

RETRY_SECONDS = 2


class Lanes:
    def __init__(self, threads: int, places: int) -> None:
        self.places = places
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="lanes")
        self._free = threads
        self._lanes: deque[Lane] = deque()

    def lane(self) -> "Lane":
        new = Lane(self)
        self._lanes.append(new)
        return new

    async def run(self, work: Callable[[], T], lane: "Lane") -> T:
        """A thread is busy until its work ends, even if nobody waits for that any more."""
        if self._free:
            self._free -= 1
        else:
            await self._turn(lane)
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        running.add_done_callback(lambda _: self._give_back())
        return await asyncio.shield(running)

    async def _turn(self, lane: "Lane") -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it came at the same moment
                self._give_back()
            raise

    def _give_back(self) -> None:
        """A thread is free: the first of the next lane in which somebody waits has it."""
        for _turn in range(len(self._lanes)):
            lane = self._lanes[0]
            self._lanes.rotate(-1)
            while lane.waiting:
                turn = lane.waiting.popleft()
                if not turn.cancelled():
                    turn.set_result(None)
                    return
        self._free += 1


class Lane:
    def __init__(self, lanes: Lanes) -> None:
        self.waiting: deque[asyncio.Future[None]] = deque()
        self._lanes = lanes
        self._taken = 0

    @contextmanager
    def permit(self) -> Iterator["Permit"]:
        if self._taken >= self._lanes.places:
            raise Unavailable(
                RETRY_SECONDS, _("Too many people are at the door. Try again shortly.")
            )
        self._taken += 1
        try:
            yield Permit(self._lanes, self)
        finally:
            self._taken -= 1


class Permit:
    def __init__(self, lanes: Lanes, lane: Lane) -> None:
        self._lanes = lanes
        self._lane = lane

    async def run(self, work: Callable[[], T]) -> T:
        return await self._lanes.run(work, self._lane)
