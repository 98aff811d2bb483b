"""How much goes out, counted in the table, so that all processes and restarts share it.

    async with allowance.room_for(letter, channel.counts(letter, recipient)): ...

Room is taken before a message is sent and given back where it was not taken: a process that is
killed in between has counted one too many, never one too few.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from homeshelf import clock
from homeshelf.errors import RateLimited
from homeshelf.outbox.channel import NotNow, ServerAway, Taken
from homeshelf.outbox.model import Letter
from homeshelf.table import Database, TableError
from homeshelf.web.attempts import Count, begin

LONGEST_WAIT_SECONDS = 6 * 3600
"""What was ahead of a letter may have become void, so it is looked at again by then."""


class NoRoom(Exception):
    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


class Superseded(Exception):
    """Who asked for the letter has been sent such a one since."""


class Allowance:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._last_turns: dict[str, float] = {}

    @asynccontextmanager
    async def room_for(self, letter: Letter, counts: Sequence[Count]) -> AsyncIterator[None]:
        if not counts:
            yield
            return
        if letter.has_waited and await self._is_superseded(letter, counts[0]):
            raise Superseded
        try:
            taken = await begin(self._db, counts)
        except RateLimited:
            if await self._is_superseded(letter, counts[0]):
                raise Superseded from None
            raise NoRoom(await self._room_at(letter, counts)) from None
        try:
            yield
        except (ServerAway, NotNow, Taken):
            with suppress(TableError):  # then it stays counted: a letter matters more
                await taken.forgive()
            raise

    async def _is_superseded(self, letter: Letter, own: Count) -> bool:
        if letter.kind not in ASKED_FOR:
            return False
        counted = await self._db.get(own.key)
        return counted is not None and bool(counted.recent(_seconds(letter.written_at) - 1))

    async def _room_at(self, letter: Letter, counts: Sequence[Count]) -> datetime:
        now = clock.seconds()
        found = await self._db.get_many([count.key for count in counts])
        at = now + 1.0
        for count, counted in zip(counts, found, strict=True):
            recent = counted.recent(now - count.rate.seconds) if counted else ()
            if len(recent) >= count.rate.times:
                free = recent[-count.rate.times] + count.rate.seconds
                alone = letter.kind in ASKED_FOR and count is counts[0]
                at = max(at, free if alone else self._turn(count, free, now))
        return datetime.fromtimestamp(min(at, now + LONGEST_WAIT_SECONDS), UTC)

    def _turn(self, count: Count, free: int, now: int) -> float:
        """When there is room, behind the letters that this process has put off already.

        Were they all due in the same moment, each would be looked at whenever one can go.
        """
        rate = count.rate
        turn = max(free, self._last_turns.get(count.name, 0) + rate.seconds / rate.times)
        self._last_turns = {name: at for name, at in self._last_turns.items() if at > now}
        self._last_turns[count.name] = turn
        return turn


ASKED_FOR = frozenset({"verify", "reset"})
"""Kinds of which one is enough, however often somebody asks while it waits."""


def _seconds(timestamp: str) -> int:
    return int(datetime.fromisoformat(timestamp).timestamp())
