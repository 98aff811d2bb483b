"""What reading adds up to: pages by day, books that were finished, how fast somebody reads, how
long without a break, and when a book may be finished."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from homeshelf import clock
from homeshelf.books import store
from homeshelf.books.model import Book, ReadingEvent
from homeshelf.table import Database, Query

AT_A_TIME = 1000
LATELY = timedelta(days=30)


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


@dataclass(frozen=True)
class Streaks:
    """Days in a row on which something was read."""

    current: int
    longest: int


@dataclass(frozen=True)
class Forecast:
    pages_per_day: float
    days_left: int


def today_in(zone: str) -> date:
    return clock.now().astimezone(clock.zone_of(zone)).date()


async def statistics(db: Database, user_id: str, year: int | None, zone: ZoneInfo) -> Statistics:
    """Of one year, or of all of them. What is left of a deleted book does not count."""
    books = [item async for item in items_of(db, store.shelf(user_id))]
    there = {item["id"] for item in books}
    events = [item async for item in items_of(db, store.all_reading(user_id))]
    days: Counter[date] = Counter()
    for at, pages in forward_steps(item for item in events if item["bookId"] in there):
        days[datetime.fromisoformat(at).astimezone(zone).date()] += pages
    beginning = "" if year is None else f"{year:04}-"
    read = (item.get("finishedAt") or "" for item in books if item["status"] == "READ")
    finished = [day for day in read if day.startswith(beginning)]
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


def moment(timestamp: str) -> datetime:
    return datetime.fromisoformat(timestamp).astimezone(UTC)


def streaks(pages: Mapping[date, int], today: date) -> Streaks:
    """A streak is not broken by today: the day is not over."""
    longest = run = 0
    before: date | None = None
    for day in sorted(pages):
        run = run + 1 if before is not None and day - before == timedelta(days=1) else 1
        longest, before = max(longest, run), day
    reaches_today = before is not None and today - before <= timedelta(days=1)
    return Streaks(run if reaches_today else 0, longest)


def forecast(book: Book, events: Sequence[ReadingEvent], now: datetime) -> Forecast | None:
    """By the pace of the last month, or since the book was begun; None where nothing is known."""
    left = (book.total_pages or 0) - (book.current_page or 0)
    items = [{"bookId": it.book_id, "page": it.page, "occurredAt": it.occurred_at} for it in events]
    since = now - LATELY
    read = sum(pages for at, pages in forward_steps(items) if moment(at) >= since)
    if left <= 0 or not read:
        return None
    begun = max(since, moment(events[0].occurred_at))
    pace = read / max((now - begun).total_seconds() / 86_400, 1.0)
    return Forecast(pace, max(1, round(left / pace)))


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
