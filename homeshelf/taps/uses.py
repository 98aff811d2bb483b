"""How the tags of an item are used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup

from homeshelf import clock
from homeshelf.table import Database
from homeshelf.taps import store
from homeshelf.taps.charts import week_chart
from homeshelf.taps.counting import monday_of
from homeshelf.taps.model import NFCUrl, WeekOfTaps, jumps

WEEKS_SHOWN = 12


@dataclass(frozen=True)
class UsedTag:
    tag: NFCUrl
    weeks: Sequence[tuple[str, int]]
    """How often it was used, by Mondays, oldest first."""

    @property
    def jumps(self) -> bool:
        """Weeks before it was made say nothing about what is usual."""
        made = monday_of(datetime.fromisoformat(self.tag.created_at))
        return jumps([count for monday, count in self.weeks if monday >= made])

    @property
    def chart(self) -> Markup:
        return week_chart(self.weeks)


async def used_tags(db: Database, family_id: str, item_id: str) -> list[UsedTag]:
    """Those in use and those that no longer are, newest first."""
    tags = await db.all(store.tags_of_item(family_id, item_id).up_to_date())
    weeks = await db.all(store.weeks_of_item(family_id, item_id)) if tags else []
    now = clock.now()
    newest = sorted(tags, key=lambda tag: tag.created_at, reverse=True)
    return [UsedTag(tag, _weeks_of(tag, weeks, now)) for tag in newest]


def _weeks_of(tag: NFCUrl, weeks: Sequence[WeekOfTaps], now: datetime) -> list[tuple[str, int]]:
    counts = {week.week: week.count for week in weeks if week.url_id == tag.url_id}
    mondays = [monday_of(now - timedelta(weeks=ago)) for ago in reversed(range(WEEKS_SHOWN))]
    return [(monday, counts.get(monday, 0)) for monday in mondays]
