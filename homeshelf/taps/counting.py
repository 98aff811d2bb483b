"""How often tags are used: noted at once, and brought to the table behind the answers."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from homeshelf import clock
from homeshelf.table import (
    Add,
    ConditionFailed,
    Database,
    Set,
    TableError,
    absent,
    exists,
)
from homeshelf.taps.model import NFCUrl, WeekOfTaps

EVERY_SECONDS = 0.5
AT_ONCE = 50
WEEKS_KEPT = timedelta(weeks=60)

log = structlog.get_logger()


@dataclass
class Uses:
    """Of one tag, since they were last brought to the table."""

    tag: NFCUrl
    count: int = 0
    last: str = ""


class AccessCounts:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[str, Uses] = {}
        self._noted = asyncio.Event()

    def note(self, tag: NFCUrl) -> None:
        uses = self._uses.get(tag.url_id)
        if uses is None:
            uses = self._uses[tag.url_id] = Uses(tag)
            self._noted.set()
        uses.count += 1
        uses.last = clock.timestamp()

    async def keep(self, stop: asyncio.Event) -> None:
        """Bring what was noted to the table, twice a second while there is anything, and last of
        all when told to stop."""
        stopping = asyncio.create_task(stop.wait())
        while not stop.is_set():
            noting = asyncio.create_task(self._noted.wait())
            await asyncio.wait([noting, stopping], return_when=asyncio.FIRST_COMPLETED)
            noting.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY_SECONDS):
                    await asyncio.shield(stopping)
            await self.flush()

    async def flush(self) -> None:
        self._noted.clear()
        taken, self._uses = list(self._uses.values()), {}
        for first in range(0, len(taken), AT_ONCE):
            some = taken[first : first + AT_ONCE]
            results = await asyncio.gather(*map(self._write, some), return_exceptions=True)
            self._keep_for_later(some, results)

    async def _write(self, uses: Uses) -> None:
        changes = (Add("accessCount", uses.count), Set("lastAccessedAt", uses.last))
        try:
            await self._db.write(NFCUrl.update(uses.tag.own_key(), *changes, when=exists))
        except ConditionFailed:
            return
        await count_week(self._db, uses.tag, uses.count, clock.now())

    def _keep_for_later(
        self, some: Sequence[Uses], results: Sequence[BaseException | None]
    ) -> None:
        for uses, failed in zip(some, results, strict=True):
            if failed is None:
                continue
            log.warning("uses_uncounted", error=repr(failed))
            if isinstance(failed, TableError):
                later = self._uses.setdefault(uses.tag.url_id, Uses(uses.tag, 0, uses.last))
                later.count += uses.count
                self._noted.set()


async def count_week(db: Database, tag: NFCUrl, count: int, now: datetime) -> None:
    """An update never makes a record, and the first of a week has to."""
    week = WeekOfTaps(
        family_id=tag.family_id,
        item_id=tag.item_id,
        url_id=tag.url_id,
        week=monday_of(now),
        count=count,
        ttl=int((now + WEEKS_KEPT).timestamp()),
    )
    more = WeekOfTaps.update(week.own_key(), Add("count", count), when=exists)
    try:
        await db.write(more)
    except ConditionFailed:
        try:
            await db.put(week, when=absent)
        except ConditionFailed:  # another process was first
            await db.write(more)


def monday_of(moment: datetime) -> str:
    return f"{moment - timedelta(days=moment.weekday()):%Y-%m-%d}"
