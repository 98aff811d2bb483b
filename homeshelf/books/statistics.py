"""What reading adds up to: pages by day, and books that were finished."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from homeshelf import clock
from homeshelf.books import store
from homeshelf.table import Database, Query

AT_A_TIME = 1000


@dataclass(frozen=True)
class Statistics:
    books_finished: int
    pages_per_day: Mapping[date, int]
    """The days on which anything was read, in their order."""
    finished_on: Mapping[str, int]
    """How many books were finished on which day."""

    @property
    def pages_read(self) -> int:
        return sum(self.pages_per_day.values())


def today_in(zone: str) -> date:
    return clock.now().astimezone(clock.zone_of(zone)).date()


async def statistics(db: Database, user_id: str, year: int | None, zone: ZoneInfo) -> Statistics:
    """Of one year, or of all of them. What is left of a deleted book does not count."""
    books = [item async for item in items_of(db, store.shelf(user_id))]
    there = {item["id"] for item in books}
    events = [item async for item in items_of(db, store.all_reading(user_id))]
    steps = forward_steps(item for item in events if item["bookId"] in there)
    days: Counter[date] = Counter()
    for at, pages in steps:
        days[datetime.fromisoformat(at).astimezone(zone).date()] += pages
    finished = [
        item.get("finishedAt") or ""
        for item in books
        if item["status"] == "READ" and _is_of(year, item.get("finishedAt"))
    ]
    return Statistics(
        books_finished=len(finished),
        pages_per_day={day: days[day] for day in sorted(days) if year in (None, day.year)},
        finished_on=Counter(day for day in finished if day),
    )


def forward_steps(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """When pages were read, and how many: of events book by book, each in the order of time.

    The first event of a book counts from its beginning; leafing back counts as nothing.
    """
    book, page = None, 0
    for event in events:
        if event["bookId"] != book:
            book, page = event["bookId"], 0
        if event["page"] > page:
            yield event["occurredAt"], event["page"] - page
        page = event["page"]


def _is_of(year: int | None, finished_at: str | None) -> bool:
    return year is None or (finished_at or "").startswith(f"{year:04}-")


async def items_of(db: Database, query: Query[Any]) -> AsyncIterator[Mapping[str, Any]]:
    """As they are stored, some at a time, so that others are answered meanwhile."""
    asked: Query[Any] = replace(query.up_to_date(), load=dict)
    page = await db.query(asked.page(AT_A_TIME))
    while True:
        for item in page.items:
            yield item
        if page.next is None:
            return
        page = await db.query(asked.page(AT_A_TIME, page.next))
