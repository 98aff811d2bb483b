"""Failures that are counted in the table, so that all processes and restarts share them.

An attempt counts before its outcome is known: whoever tries many at once gains nothing by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from homeshelf import clock
from homeshelf.errors import RateLimited
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Key, Keys, Record, absent, attr
from homeshelf.table.expressions import Condition, Value
from homeshelf.table.operations import Delete, Put
from homeshelf.values import Rate


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

    @property
    def unchanged(self) -> Condition:
        listed: list[Value] = [*self.times]
        return attr("times") == listed if listed else absent

    def recent(self, since: int) -> tuple[int, ...]:
        return tuple(time for time in self.times if time > since)


@dataclass(frozen=True)
class Attempt:
    """One that is under way."""

    db: Database
    counts: Sequence[Count]
    at: int

    async def forgive(self) -> None:
        """It was no failure: as if it had not been counted."""

        async def attempt() -> None:
            found = await _read(self.db, self.counts)
            writes = [_without(record, self.at) for record in found if self.at in record.times]
            if writes:
                await self.db.transact(*writes)

        await self.db.settle(self.counts[-1].key, attempt)


async def begin(db: Database, counts: Sequence[Count]) -> Attempt:
    """Count one more; the last count is the widest, and those who share it queue."""

    async def attempt() -> Attempt:
        now = clock.seconds()
        found = await _read(db, counts)
        await db.transact(
            *(_with(old, count.rate, now) for old, count in zip(found, counts, strict=True))
        )
        return Attempt(db, counts, now)

    return await db.settle(counts[-1].key, attempt)


async def _read(db: Database, counts: Sequence[Count]) -> list[Attempts]:
    records = await db.get_many([count.key for count in counts])
    return [
        record or Attempts(kind=count.kind, about=digest(count.about))
        for record, count in zip(records, counts, strict=True)
    ]


def _with(old: Attempts, rate: Rate, now: int) -> Put:
    recent = old.recent(now - rate.seconds)
    if len(recent) >= rate.times:
        raise RateLimited(recent[-rate.times] + rate.seconds - now)
    return old.changed(times=(*recent, now), ttl=now + rate.seconds).replacing(old)


def _without(old: Attempts, at: int) -> Put | Delete:
    times = list(old.times)
    times.remove(at)
    if not times:
        return old.delete(old.unchanged)
    return old.changed(times=tuple(times)).replacing(old)
