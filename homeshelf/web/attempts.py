"""Failures that are counted in the table, so that all processes and restarts share them.

An attempt counts before its outcome is known: trying many at once gains nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from homeshelf import clock
from homeshelf.config import Rate
from homeshelf.errors import RateLimited
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Delete, Key, Keys, Put, Query, Record, Write
from homeshelf.table.deadlines import is_in_the_future

KEPT_SECONDS = 90 * 24 * 3600
NOTED_AGAIN_SECONDS = 7 * 24 * 3600
"""Somebody who comes in every day costs a write a week."""
MOST = 50


class KnownAddress(Record):
    """An address that got in before. What it got into and the address itself are digests.

    Where guesses are counted over all addresses, these are exempt: strangers who use up the count
    do not keep those out who have always come from home.
    """

    table = HELPER
    keys = Keys(PK="KNOWN#{kind}#{about}", SK="ADDRESS#{address}")

    kind: str
    about: str
    address: str
    seen: int
    """When somebody last got in from there, in Unix seconds, give or take a week."""
    ttl: int

    @classmethod
    def now(cls, kind: str, about: str, address: str) -> "KnownAddress":
        """Of somebody at an address, and what they want to get into: `about` is one of its kind."""
        now = clock.seconds()
        about, address = digest(about), digest(address)
        return cls(kind=kind, about=about, address=address, seen=now, ttl=now + KEPT_SECONDS)

    async def noted(self, db: Database, known: "KnownAddress | None") -> list[Write]:
        """They got in. Past so many addresses, those that were not seen for longest go."""
        if known is not None:
            return [self.put()] if self.seen - known.seen >= NOTED_AGAIN_SECONDS else []
        found = await db.all(known_addresses(self.kind, self.about).page(2 * MOST))
        others = sorted(
            (each for each in found if each.address != self.address), key=attrgetter("seen")
        )
        return [self.put(), *(each.delete() for each in others[: -(MOST - 1)])]


def known_addresses(kind: str, about: str) -> Query[KnownAddress]:
    """From where somebody got in before."""
    return KnownAddress.where(kind=kind, about=about).up_to_date()


@dataclass(frozen=True)
class Count:
    """What is counted together, such as the sign-ins of one address with one e-mail."""

    kind: str
    about: str
    rate: Rate

    @property
    def name(self) -> str:
        return f"{self.kind} {self.about}"

    @property
    def key(self) -> "Key[Attempts]":
        return Attempts.key(kind=self.kind, about=digest(self.about))


class Attempts(Record):
    """When it was tried lately, in Unix seconds. What it lists is its lock: it comes and goes."""

    table = HELPER
    keys = Keys(PK="ATTEMPTS#{kind}#{about}", SK="ATTEMPTS")
    lock = "times"

    kind: str
    about: str
    """A digest: no e-mail stands in a key."""
    times: tuple[int, ...] = ()
    ttl: int = 0

    def recent(self, since: int) -> tuple[int, ...]:
        """The times after that one, without those of a clock that was set back since."""
        return tuple(time for time in self.times if since < time and not is_in_the_future(time))


@dataclass(frozen=True)
class Anywhere:
    """What is counted over all addresses, but for those that got in before."""

    count: Count
    address: str

    @property
    def arrival(self) -> KnownAddress:
        return KnownAddress.now(self.count.kind, self.count.about, self.address)


@dataclass(frozen=True)
class Attempt:
    db: Database
    counts: Sequence[Count]
    at: int
    successes: Count | None = None
    anywhere: Anywhere | None = None
    """Its address is noted if it is no failure."""
    known: KnownAddress | None = None

    async def forgive(self) -> None:
        """It was no failure: as if it had not been counted, other than as a success."""

        async def attempt() -> RateLimited | None:
            found = await _read(self.db, self.counts)
            writes: list[Write] = [_without(it, self.at) for it in found if self.at in it.times]
            too_often = None
            if self.successes is not None:
                (old,) = await _read(self.db, [self.successes])
                try:
                    writes.append(_with(old, self.successes.rate, clock.seconds()))
                except RateLimited as refused:  # others were let in since this one began
                    too_often = refused
            if self.anywhere is not None:
                writes += await self.anywhere.arrival.noted(self.db, self.known)
            await self.db.transact(*writes)
            return too_often

        if refused := await self.db.retry_with_lock(self.counts[-1].key, attempt):
            raise refused


async def look(
    db: Database, successes: Count | None = None, anywhere: Anywhere | None = None
) -> KnownAddress | None:
    """Refuse what is too often already, without a write; returns the address if it is known."""
    known: KnownAddress | None = None
    wide: list[Count] = [] if successes is None else [successes]
    if anywhere is not None:
        known = await db.get(anywhere.arrival.own_key())
        wide += [] if known else [anywhere.count]
    for record, count in zip(await _read(db, wide), wide, strict=True):
        _room_for_one(record, count.rate, clock.seconds())
    return known


async def begin(
    db: Database,
    counts: Sequence[Count],
    successes: Count | None = None,
    anywhere: Anywhere | None = None,
    known: KnownAddress | None = None,
) -> Attempt:
    """Count one more; the last count is the widest, and those who share it queue."""
    counted = counts if anywhere is None or known else [*counts, anywhere.count]

    async def attempt() -> Attempt:
        now = clock.seconds()
        found = await _read(db, counted)
        await db.transact(
            *(_with(old, count.rate, now) for old, count in zip(found, counted, strict=True))
        )
        return Attempt(db, counted, now, successes, anywhere, known)

    return await db.retry_with_lock(counted[-1].key, attempt)


async def _read(db: Database, counts: Sequence[Count]) -> list[Attempts]:
    records = await db.get_many([count.key for count in counts])
    return [
        record or Attempts(kind=count.kind, about=digest(count.about))
        for record, count in zip(records, counts, strict=True)
    ]


def _with(old: Attempts, rate: Rate, now: int) -> Put:
    times = (*_room_for_one(old, rate, now), now)
    return old.changed(times=times, ttl=now + rate.seconds).replacing(old)


def _room_for_one(old: Attempts, rate: Rate, now: int) -> tuple[int, ...]:
    """The recent times, if there may be another."""
    recent = old.recent(now - rate.seconds)
    if len(recent) >= rate.times:
        raise RateLimited(recent[-rate.times] + rate.seconds - now)
    return recent


def _without(old: Attempts, at: int) -> Put | Delete:
    times = list(old.times)
    times.remove(at)
    if not times:
        return old.delete(old.unchanged)
    return old.changed(times=tuple(times)).replacing(old)
