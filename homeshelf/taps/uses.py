"""Counting the uses of tags in memory, writing them in the background, and drawing them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import structlog

from homeshelf import clock
from homeshelf.background import keep_flushed
from homeshelf.languages.formats import formats
from homeshelf.sentences import _, said
from homeshelf.table import (
    Add,
    Database,
    Set,
    TableError,
    TransactionCancelled,
    Unreadable,
    Update,
    absent,
    exists,
)
from homeshelf.taps import store
from homeshelf.taps.model import NFCUrl, TagId, WeekOfTaps, jumps

AT_ONCE = 20
"""Few, because requests that come meanwhile wait for them."""
WEEKS_KEPT = timedelta(weeks=60)
WEEKS_SHOWN = 12

log = structlog.get_logger()


@dataclass
class Uses:
    tag: TagId
    count: int = 0
    last: int = 0
    """In nanoseconds, formatted once when it is written."""


class AccessCounts:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[TagId, Uses] = {}
        self._noted = asyncio.Event()

    def note(self, tag: TagId) -> None:
        uses = self._uses.get(tag)
        if uses is None:
            uses = self._uses[tag] = Uses(tag)
            self._noted.set()
        uses.count += 1
        uses.last = clock.nanoseconds()

    async def keep(self, stop: asyncio.Event) -> None:
        await keep_flushed(self._noted, self.flush, stop)

    async def flush(self) -> None:
        self._noted.clear()
        taken, self._uses = list(self._uses.values()), {}
        for first in range(0, len(taken), AT_ONCE):
            some = taken[first : first + AT_ONCE]
            try:
                await self._write_together(some)
            except (TransactionCancelled, Unreadable):  # nothing was written, for the sake of one
                self._keep_for_later(
                    some, await asyncio.gather(*map(self._write, some), return_exceptions=True)
                )
            except Exception as error:  # noqa: BLE001  # whatever it is, counting goes on
                self._keep_for_later(some, [error] * len(some))

    async def _write_together(self, some: Sequence[Uses]) -> None:
        weeks = [_week(uses) for uses in some]
        there = await self._db.get_many([week.own_key() for week in weeks])
        counted = [
            _more(week) if found else week.put(absent)
            for week, found in zip(weeks, there, strict=True)
        ]
        await self._db.transact(*map(_used, some), *counted)

    async def _write(self, uses: Uses) -> None:
        """Write the uses of one tag and its week, or neither; a deleted tag has none."""
        used, week = _used(uses), _week(uses)
        try:
            await self._db.transact(used, _more(week))
        except TransactionCancelled as cancelled:
            if not cancelled.by(used):  # the first use of a week makes its record
                await self._db.transact(used, week.put(absent))

    def _keep_for_later(
        self, some: Sequence[Uses], results: Sequence[BaseException | None]
    ) -> None:
        for uses, failed in zip(some, results, strict=True):
            if failed is not None:
                log.warning("uses_uncounted", error=repr(failed))
            if isinstance(failed, TableError):
                later = self._uses.setdefault(uses.tag, Uses(uses.tag, 0, uses.last))
                later.count += uses.count
                self._noted.set()


@dataclass(frozen=True)
class UsedTag:
    tag: NFCUrl
    weeks: Sequence[tuple[str, int]]

    @property
    def jumps(self) -> bool:
        """Whether use has jumped; weeks before the tag was made do not count."""
        made = monday_of(datetime.fromisoformat(self.tag.created_at))
        return jumps([count for monday, count in self.weeks if monday >= made])

    @property
    def words(self) -> str:
        """What the chart says, for screen readers."""
        used = [
            said(_("{count} in the week of {day}", count=count, day=_day(monday)))
            for monday, count in self.weeks
            if count
        ]
        if not used:
            return _("Not used in these weeks")
        return _("Uses: {weeks}", weeks=formats().listed(used))

    @property
    def first_day(self) -> str:
        return _day(self.weeks[0][0])


async def used_tags(db: Database, family_id: str, item_id: str) -> list[UsedTag]:
    """Return active and ended tags, newest first."""
    tags = await db.all(store.tags_of_item(family_id, item_id).up_to_date())
    weeks = await db.all(store.weeks_of_item(family_id, item_id)) if tags else []
    counts = {(week.url_id, week.week): week.count for week in weeks}
    mondays = [
        monday_of(clock.now() - timedelta(weeks=ago)) for ago in reversed(range(WEEKS_SHOWN))
    ]
    return [
        UsedTag(tag, [(monday, counts.get((tag.url_id, monday), 0)) for monday in mondays])
        for tag in sorted(tags, key=lambda tag: tag.created_at, reverse=True)
    ]


def monday_of(moment: datetime) -> str:
    return f"{moment - timedelta(days=moment.weekday()):%Y-%m-%d}"


def _used(uses: Uses) -> Update:
    return NFCUrl.update(
        NFCUrl.key(**uses.tag._asdict()),
        Add("accessCount", uses.count),
        Set("lastAccessedAt", clock.timestamp(clock.moment(uses.last))),
        when=exists,
    )


def _week(uses: Uses) -> WeekOfTaps:
    last = clock.moment(uses.last)
    return WeekOfTaps(
        **uses.tag._asdict(),
        week=monday_of(last),
        count=uses.count,
        ttl=int((last + WEEKS_KEPT).timestamp()),
    )


def _more(week: WeekOfTaps) -> Update:
    return WeekOfTaps.update(week.own_key(), Add("count", week.count), when=exists)


def _day(monday: str) -> str:
    return formats().day_of_year(date.fromisoformat(monday))
