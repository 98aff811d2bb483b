"""How much mail goes out, counted in the table, so that all processes and restarts share it.

    async with allowance.room_for(letter, words.to) as taken: ...

Room is taken before a server is given the mail and given back where it did not take it: a process
that is killed in between has counted one too many, never one too few. The house's mail is parted so
that nobody starves anybody:

    new passwords    a quarter of it, their own
    security         a quarter of it, its own
    the rest         the other half, for the household, for addresses to verify and for invitations.
                     Strangers can cause the last two, so each of them has at most a quarter of the
                     whole, and both together three eighths: the last eighth is the household's.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.config.values import Rate
from homeshelf.errors import RateLimited
from homeshelf.mail.model import Letter
from homeshelf.mail.server import NotNow, ServerAway
from homeshelf.table import Database, TableError
from homeshelf.web.attempts import Attempt, Count, begin

LONGEST_WAIT_SECONDS = 6 * 3600
"""What was ahead of a letter may have become void, so it is looked at again by then."""


class NoRoom(Exception):
    """The letter has to wait."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


class Superseded(Exception):
    """Who asked for the letter has been sent such a one since."""


class Allowance:
    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._last_turns: dict[str, float] = {}

    @asynccontextmanager
    async def room_for(self, letter: Letter, to: str) -> AsyncIterator[Attempt]:
        counts = counts_for(self._settings, letter, to)
        if letter.has_waited and await self._is_superseded(letter, counts[0]):
            raise Superseded
        try:
            taken = await begin(self._db, counts)
        except RateLimited:
            if await self._is_superseded(letter, counts[0]):
                raise Superseded from None
            raise NoRoom(await self._room_at(letter, counts)) from None
        try:
            yield taken
        except (ServerAway, NotNow):
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


def counts_for(settings: Settings, letter: Letter, to: str) -> Sequence[Count]:
    """What a letter counts as; the first is its receiver's, and the last is the widest."""
    services, to = settings.limit_mail, to.lower()
    quarter = max(1, services.times // 4)
    rest = Rate(services.times - 2 * quarter, services.seconds)
    share = Rate(quarter, services.seconds)
    receiver = Count("mail-to", to, settings.limit_letters)
    everything = Count("mail", "the rest", rest)
    by_strangers = Count("mail", "by strangers", _part(rest, 3, 4))
    match letter.kind:
        case "reset":
            own = Count("mail-reset-to", to, settings.limit_resets)
            return own, Count("mail", "resets", share)
        case "password_changed":
            own = Count("mail-security-to", to, settings.limit_letters)
            return own, Count("mail", "security", share)
        case "verify":
            own = Count("mail-verify-to", to, settings.limit_letters)
            verifications = Count("mail", "verifications", share)
            return own, receiver, verifications, by_strangers, everything
        case "invitation":
            own = Count("mail-invitation-to", to, _part(settings.limit_letters, 1, 2))
            by = letter.about.get("by", letter.about["familyId"])
            inviter = Count("mail-invitation-by", by, settings.limit_invitations)
            invitations = Count("mail", "invitations", share)
            return own, receiver, inviter, invitations, by_strangers, everything
    return receiver, everything


def _part(rate: Rate, numerator: int, denominator: int) -> Rate:
    return Rate(max(1, rate.times * numerator // denominator), rate.seconds)


def _seconds(timestamp: str) -> int:
    return int(datetime.fromisoformat(timestamp).timestamp())
