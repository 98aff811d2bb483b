"""Statistics of reading, and their charts."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup

from homeshelf import clock
from homeshelf.books import store
from homeshelf.books.model import Book, ReadingEvent
from homeshelf.languages.formats import formats
from homeshelf.sentences import _
from homeshelf.table import Database, Query
from homeshelf.web.pages import template

AT_A_TIME = 1000
WIDTH, HEIGHT = 320.0, 120.0
CELL = 6
LEVELS = 4
FORECAST_PERIOD = timedelta(days=30)

moment = datetime.fromisoformat


@dataclass(frozen=True)
class Statistics:
    books_finished: int
    pages_per_day: Mapping[date, int]
    """The pages of each day on which the reader read, in order."""
    finished_on: Mapping[str, int]
    unlogged_pages: int = 0
    """The pages of finished books without a reading event."""
    books_of_unknown_length: int = 0
    """Finished books without reading events and without a number of pages."""

    @property
    def pages_read(self) -> int:
        return sum(self.pages_per_day.values())


@dataclass(frozen=True)
class Streaks:
    current: int
    longest: int


@dataclass(frozen=True)
class Forecast:
    pages_per_day: float
    days_left: int


def today_in(zone: str) -> date:
    return clock.now().astimezone(clock.zone_of(zone)).date()


async def statistics(db: Database, user_id: str, year: int | None, zone: ZoneInfo) -> Statistics:
    """Return the statistics of one year or of all, without deleted books."""
    books = [item async for item in iterate_items(db, store.shelf(user_id))]
    there = {item["id"] for item in books}
    events = [item async for item in iterate_items(db, store.all_events(user_id))]
    days: Counter[date] = Counter()
    logged = {item["bookId"] for item in events}
    for at, pages in pages_by_event(item for item in events if item["bookId"] in there):
        days[moment(at).astimezone(zone).date()] += pages
    prefix = "" if year is None else f"{year:04}-"
    finished_books = [
        item
        for item in books
        if item["status"] == "READ" and (item.get("finishedAt") or "").startswith(prefix)
    ]
    finished = [item.get("finishedAt") or "" for item in finished_books]
    lengths = [item.get("totalPages") for item in finished_books if item["id"] not in logged]
    return Statistics(
        books_finished=len(finished),
        pages_per_day={day: days[day] for day in sorted(days) if year in (None, day.year)},
        finished_on=Counter(day for day in finished if day),
        unlogged_pages=sum(length or 0 for length in lengths),
        books_of_unknown_length=sum(not length for length in lengths),
    )


def pages_by_event(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield the time and pages of each step forward, from events by book and time."""
    book, page = None, 0
    for event in events:
        if event["bookId"] != book:
            book, page = event["bookId"], 0
        if event["page"] > page:
            yield event["occurredAt"], event["page"] - page
        page = event["page"]


def streaks(pages: Mapping[date, int], today: date) -> Streaks:
    """Return the streaks; a day without reading ends one, unless it is today."""
    longest = run = 0
    before: date | None = None
    for day in sorted(pages):
        run = run + 1 if before is not None and day - before == timedelta(days=1) else 1
        longest, before = max(longest, run), day
    reaches_today = before is not None and today - before <= timedelta(days=1)
    return Streaks(run if reaches_today else 0, longest)


def forecast(book: Book, events: Sequence[ReadingEvent], now: datetime) -> Forecast | None:
    """Forecast by the pace of the last month, or since the first event; None if it is unknown."""
    left = (book.total_pages or 0) - (book.current_page or 0)
    items = [{"bookId": it.book_id, "page": it.page, "occurredAt": it.occurred_at} for it in events]
    since = now - FORECAST_PERIOD
    read = sum(pages for at, pages in pages_by_event(items) if moment(at) >= since)
    if left <= 0 or not read:
        return None
    begun = max(since, moment(events[0].occurred_at))
    pace = read / max((now - begun).total_seconds() / 86_400, 1.0)
    return Forecast(pace, max(1, round(left / pace)))


def timeline_chart(
    events: Sequence[ReadingEvent], total_pages: int | None, label: str, zone: tzinfo
) -> Markup:
    start, end = moment(events[0].occurred_at), moment(events[-1].occurred_at)
    span = max((end - start).total_seconds(), 1.0)
    top = max(total_pages or 0, *(event.page for event in events), 1)
    points = [
        (
            round((moment(event.occurred_at) - start).total_seconds() / span * WIDTH, 1),
            round(HEIGHT - event.page / top * HEIGHT, 1),
        )
        for event in events
    ]
    return _draw(
        "timeline",
        "M" + "L".join(f"{x} {y}" for x, y in points),
        points[-1],
        _("page {page}", page=top),
        formats().short_day(start.astimezone(zone)),
        formats().short_day(end.astimezone(zone)),
        label,
    )


def heat_map(year: int, pages: Mapping[date, int]) -> Markup:
    first = _("Pages read each day of {year}, January to June", year=str(year))
    second = _("Pages read each day of {year}, July to December", year=str(year))
    return _draw_half_year(date(year, 1, 1), date(year, 6, 30), pages, first) + _draw_half_year(
        date(year, 7, 1), date(year, 12, 31), pages, second
    )


def _draw_half_year(first: date, last: date, pages: Mapping[date, int], label: str) -> Markup:
    """Draw a column for each week; more pages have a stronger colour."""
    most = max(pages.values(), default=0)
    cells = []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        read = pages.get(day, 0)
        level = min(LEVELS, 1 + (read - 1) * LEVELS // most) if read else 0
        cells.append((level, (number + first.weekday()) // 7 * CELL, day.weekday() * CELL, day))
    return _draw("heat_map", cells, formats().months(), label)


def month_bars(counts: Sequence[int], label: str) -> Markup:
    most = max(*counts, 1)
    heights = [round(count / most * 80, 1) for count in counts]
    return _draw("month_bars", counts, heights, formats().month_letters(), label)


def _draw(macro: str, *values: Any) -> Markup:
    drawn: Markup = getattr(template("books/charts.html").module, macro)(*values)
    return drawn


async def iterate_items(db: Database, query: Query[Any]) -> AsyncIterator[Mapping[str, Any]]:
    """Yield stored items a page at a time, so that other requests are answered in between."""
    asked: Query[Any] = replace(query.up_to_date(), load=dict).page(AT_A_TIME)
    while True:
        page = await db.query(asked)
        for item in page.items:
            yield item
        if page.next is None:
            return
        asked = asked.page(AT_A_TIME, page.next)
