"""Counters of failed attempts, stored so that they hold across processes and restarts.

An attempt is counted before its outcome is known, so that parallel attempts gain nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from homeshelf import clock
from homeshelf.config import Rate
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import RateLimited
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Delete, Key, Keys, Put, Query, Record, Write
from homeshelf.table.deadlines import is_in_the_future

KEPT_SECONDS = 90 * 24 * 3600
NOTED_AGAIN_SECONDS = 7 * 24 * 3600
"""The precision of `KnownAddress.seen`, so that a daily sign-in costs one write a week."""
MOST = 50


class KnownAddress(Record):
    """An address with an earlier success; the address and its target are digests.

    Known addresses are exempt from counts over all addresses, so that an attacker who uses up such
    a count does not lock out a household.
    """

    table = HELPER
    keys = Keys(PK="KNOWN#{kind}#{about}", SK="ADDRESS#{address}")

    kind: str
    about: str
    address: str
    seen: int
    """The time of the last success in Unix seconds, precise to a week."""
    ttl: int

    @classmethod
    def now(cls, kind: str, about: str, address: str) -> "KnownAddress":
        now = clock.seconds()
        about, address = digest(about), digest(address)
        return cls(kind=kind, about=about, address=address, seen=now, ttl=now + KEPT_SECONDS)

    async def success_writes(self, db: Database, known: "KnownAddress | None") -> list[Write]:
        """Return the writes that store it, and delete the oldest ones above `MOST`."""
        if known is not None:
            return [self.put()] if self.seen - known.seen >= NOTED_AGAIN_SECONDS else []
        found = await db.all(known_addresses(self.kind, self.about).page(2 * MOST))
        others = sorted(
            (each for each in found if each.address != self.address), key=attrgetter("seen")
        )
        return [self.put(), *(each.delete() for each in others[: -(MOST - 1)])]


def known_addresses(kind: str, about: str) -> Query[KnownAddress]:
    return KnownAddress.where(kind=kind, about=about).up_to_date()


@dataclass(frozen=True)
class Count:
    """A counter, such as that of sign-ins from one IP address to one account."""

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
    """The recent attempts of a counter, in Unix seconds. The list is the lock of the record."""

    table = HELPER
    keys = Keys(PK="ATTEMPTS#{kind}#{about}", SK="ATTEMPTS")
    lock = "times"

    kind: str
    about: str
    times: tuple[int, ...] = ()
    ttl: int = 0

    def recent(self, since: int) -> tuple[int, ...]:
        """Return the times after `since`, without future ones from a clock that was ahead."""
        return tuple(time for time in self.times if since < time and not is_in_the_future(time))

    def require_below_limit(self, rate: Rate, now: int) -> tuple[int, ...]:
        recent = self.recent(now - rate.seconds)
        if len(recent) >= rate.times:
            raise RateLimited(recent[-rate.times] + rate.seconds - now)
        return recent

    def with_attempt(self, rate: Rate, now: int) -> Put:
        times = (*self.require_below_limit(rate, now), now)
        return self.changed(times=times, ttl=now + rate.seconds).replacing(self)

    def without(self, at: int) -> Put | Delete:
        times = list(self.times)
        times.remove(at)
        if not times:
            return self.delete(self.unchanged)
        return self.changed(times=tuple(times)).replacing(self)


@dataclass(frozen=True)
class GlobalCount:
    count: Count
    address: str

    @property
    def known_address(self) -> KnownAddress:
        return KnownAddress.now(self.count.kind, self.count.about, self.address)


@dataclass
class Attempt:
    db: Database
    counts: Sequence[Count]
    """The counters, the widest one last; attempts that share it wait for each other."""
    successes: Count | None = None
    global_count: GlobalCount | None = None
    known: KnownAddress | None = None
    at: int = 0

    async def look(self) -> None:
        """Raise if a limit is reached, without a write, and look up the address."""
        wide = [] if self.successes is None else [self.successes]
        if self.global_count is not None:
            self.known = await self.db.get(self.global_count.known_address.own_key())
            wide += [] if self.known else [self.global_count.count]
        for record, count in await _read(self.db, wide):
            record.require_below_limit(count.rate, clock.seconds())

    async def begin(self) -> "Attempt":
        if self.global_count is not None and self.known is None:
            self.counts = [*self.counts, self.global_count.count]
        self.at = await _count_attempt(self.db, self.counts[-1].key, self.counts)
        return self

    async def mark_success(self) -> None:
        """Count it as a success instead, and store its address as known."""
        if refused := await _mark_success(self.db, self.counts[-1].key, self):
            raise refused


@transaction
async def _count_attempt(tx: Transaction, _widest: Key[Attempts], counts: Sequence[Count]) -> int:
    now = clock.seconds()
    for record, count in await _read(tx.db, counts):
        tx.write(record.with_attempt(count.rate, now))
    return now


@transaction
async def _mark_success(
    tx: Transaction, _widest: Key[Attempts], tried: Attempt
) -> RateLimited | None:
    found = await _read(tx.db, tried.counts)
    tx.write(*(record.without(tried.at) for record, _ in found if tried.at in record.times))
    too_often = None
    if tried.successes is not None:
        ((record, count),) = await _read(tx.db, [tried.successes])
        try:
            tx.write(record.with_attempt(count.rate, clock.seconds()))
        except RateLimited as refused:  # other attempts have succeeded since this one began
            too_often = refused
    if tried.global_count is not None:
        tx.write(*await tried.global_count.known_address.success_writes(tx.db, tried.known))
    return too_often


async def _read(db: Database, counts: Sequence[Count]) -> list[tuple[Attempts, Count]]:
    records = await db.get_many([count.key for count in counts])
    return [
        (record or Attempts(kind=count.kind, about=digest(count.about)), count)
        for record, count in zip(records, counts, strict=True)
    ]
