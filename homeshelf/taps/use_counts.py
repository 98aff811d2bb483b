"""The use counts of tags: counted in memory, written in the background, shown as a chart."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import structlog

from homeshelf import clock
from homeshelf.background import flush_periodically
from homeshelf.languages.formats import formats
from homeshelf.sentences import _, translate
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
from homeshelf.taps.model import NFCUrl, TagId, WeekOfTaps, has_jump

BATCH_SIZE = 20
"""The uses written together; few, because requests wait for them."""
WEEKS_KEPT = timedelta(weeks=60)
WEEKS_SHOWN = 12

log = structlog.get_logger()


@dataclass
class TagUses:
    tag: TagId
    count: int = 0
    last: int = 0
    """The time of the last use in nanoseconds; it is formatted only when it is written."""


class AccessCounts:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[TagId, TagUses] = {}
        self._has_uses = asyncio.Event()

    def count_use(self, tag: TagId) -> None:
        uses = self._uses.get(tag)
        if uses is None:
            uses = self._uses[tag] = TagUses(tag)
            self._has_uses.set()
        uses.count += 1
        uses.last = clock.nanoseconds()

    async def run(self, stop: asyncio.Event) -> None:
        await flush_periodically(self._has_uses, self.flush, stop)

    async def flush(self) -> None:
        self._has_uses.clear()
        pending, self._uses = list(self._uses.values()), {}
        for first in range(0, len(pending), BATCH_SIZE):
            batch = pending[first : first + BATCH_SIZE]
            try:
                await self._write_together(batch)
            except (TransactionCancelled, Unreadable):  # one failure cancelled the whole batch
                self._restore_failed(
                    batch, await asyncio.gather(*map(self._write, batch), return_exceptions=True)
                )
            except Exception as error:  # noqa: BLE001  # no error may stop the counting
                self._restore_failed(batch, [error] * len(batch))

    async def _write_together(self, batch: Sequence[TagUses]) -> None:
        weeks = [_new_week(uses) for uses in batch]
        stored = await self._db.get_many([week.own_key() for week in weeks])
        week_writes = [
            _week_update(week) if found else week.put(absent)
            for week, found in zip(weeks, stored, strict=True)
        ]
        await self._db.transact(*map(_use_update, batch), *week_writes)

    async def _write(self, uses: TagUses) -> None:
        """Write the uses of one tag and its week, or neither if the tag was deleted."""
        use, week = _use_update(uses), _new_week(uses)
        try:
            await self._db.transact(use, _week_update(week))
        except TransactionCancelled as cancelled:
            if not cancelled.by(use):  # the first use of a week creates its record
                await self._db.transact(use, week.put(absent))

    def _restore_failed(
        self, batch: Sequence[TagUses], results: Sequence[BaseException | None]
    ) -> None:
        for uses, failed in zip(batch, results, strict=True):
            if failed is not None:
                log.warning("uses_uncounted", error=repr(failed))
            if isinstance(failed, TableError):
                restored = self._uses.setdefault(uses.tag, TagUses(uses.tag, 0, uses.last))
                restored.count += uses.count
                self._has_uses.set()


@dataclass(frozen=True)
class TagWithUses:
    tag: NFCUrl
    weeks: Sequence[tuple[str, int]]

    @property
    def has_jump(self) -> bool:
        """Check for a jump, not counting the weeks before the tag was created."""
        made = monday_of(datetime.fromisoformat(self.tag.created_at))
        return has_jump([count for monday, count in self.weeks if monday >= made])

    @property
    def description(self) -> str:
        used = [
            translate(_("{count} in the week of {day}", count=count, day=_day(monday)))
            for monday, count in self.weeks
            if count
        ]
        if not used:
            return _("Not used in these weeks")
        return _("Uses: {weeks}", weeks=formats().listed(used))

    @property
    def first_day(self) -> str:
        return _day(self.weeks[0][0])


async def tags_with_uses(db: Database, family_id: str, item_id: str) -> list[TagWithUses]:
    tags = await db.all(store.tags_of_item(family_id, item_id).up_to_date())
    weeks = await db.all(store.weeks_of_item(family_id, item_id)) if tags else []
    counts = {(week.url_id, week.week): week.count for week in weeks}
    mondays = [
        monday_of(clock.now() - timedelta(weeks=ago)) for ago in reversed(range(WEEKS_SHOWN))
    ]
    return [
        TagWithUses(tag, [(monday, counts.get((tag.url_id, monday), 0)) for monday in mondays])
        for tag in sorted(tags, key=lambda tag: tag.created_at, reverse=True)
    ]


def monday_of(moment: datetime) -> str:
    return f"{moment - timedelta(days=moment.weekday()):%Y-%m-%d}"


def _use_update(uses: TagUses) -> Update:
    return NFCUrl.update(
        NFCUrl.key(**uses.tag._asdict()),
        Add("accessCount", uses.count),
        Set("lastAccessedAt", clock.timestamp(clock.moment(uses.last))),
        when=exists,
    )


def _new_week(uses: TagUses) -> WeekOfTaps:
    last = clock.moment(uses.last)
    return WeekOfTaps(
        **uses.tag._asdict(),
        week=monday_of(last),
        count=uses.count,
        ttl=int((last + WEEKS_KEPT).timestamp()),
    )


def _week_update(week: WeekOfTaps) -> Update:
    return WeekOfTaps.update(week.own_key(), Add("count", week.count), when=exists)


def _day(monday: str) -> str:
    return formats().day_of_year(date.fromisoformat(monday))
