"""Statistics of reading, and their charts, which pages show as tables too."""

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

AT_A_TIME = 1000
WIDTH, HEIGHT, FOOT = 320.0, 120.0, 16.0
CELL = 6
LEVELS = 4
LATELY = timedelta(days=30)

moment = datetime.fromisoformat


@dataclass(frozen=True)
class Statistics:
    books_finished: int
    pages_per_day: Mapping[date, int]
    """In the order of the days, without those on which nothing was read."""
    finished_on: Mapping[str, int]

    @property
    def pages_read(self) -> int:
        return sum(self.pages_per_day.values())


@dataclass(frozen=True)
class Streaks:
    """The numbers of days in a row on which something was read."""

    current: int
    longest: int


@dataclass(frozen=True)
class Forecast:
    pages_per_day: float
    days_left: int


def today_in(zone: str) -> date:
    return clock.now().astimezone(clock.zone_of(zone)).date()


async def statistics(db: Database, user_id: str, year: int | None, zone: ZoneInfo) -> Statistics:
    """Return the statistics of one year or of all; the rest of a deleted book does not count."""
    books = [item async for item in items_of(db, store.shelf(user_id))]
    there = {item["id"] for item in books}
    events = [item async for item in items_of(db, store.all_reading(user_id))]
    days: Counter[date] = Counter()
    for at, pages in forward_steps(item for item in events if item["bookId"] in there):
        days[moment(at).astimezone(zone).date()] += pages
    read = [item.get("finishedAt") or "" for item in books if item["status"] == "READ"]
    finished = read if year is None else [day for day in read if day.startswith(f"{year:04}-")]
    return Statistics(
        books_finished=len(finished),
        pages_per_day={day: days[day] for day in sorted(days) if year in (None, day.year)},
        finished_on=Counter(day for day in finished if day),
    )


def forward_steps(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield when pages were read and how many, from events by book and time.

    The first event of a book counts from its beginning; going back does not count.
    """
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
    since = now - LATELY
    read = sum(pages for at, pages in forward_steps(items) if moment(at) >= since)
    if left <= 0 or not read:
        return None
    begun = max(since, moment(events[0].occurred_at))
    pace = read / max((now - begun).total_seconds() / 86_400, 1.0)
    return Forecast(pace, max(1, round(left / pace)))


def timeline_chart(
    events: Sequence[ReadingEvent], total_pages: int | None, told: str, zone: tzinfo
) -> Markup:
    """Draw pages over time, oldest first, with the numbers and days at both ends."""
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
    line = "M" + "L".join(f"{x} {y}" for x, y in points)
    return Markup(
        '<svg class="chart chart-dated" viewBox="-4 -14 {} {}" role="img" aria-label="{}">'
        '<line class="chart-mark" x1="0" x2="{}" y1="0" y2="0"/>'
        '<path class="chart-area" d="{}V{}H0Z"/><path class="chart-line" d="{}"/>'
        '<circle class="chart-dot" cx="{}" cy="{}" r="4"/>'
        '<text x="0" y="-4">{}</text><text x="0" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>'
    ).format(
        WIDTH + 8,
        HEIGHT + FOOT + 18,
        told,
        WIDTH,
        line,
        HEIGHT,
        line,
        *points[-1],
        _("page {page}", page=top),
        HEIGHT + FOOT,
        formats().short_day(start.astimezone(zone)),
        WIDTH,
        HEIGHT + FOOT,
        formats().short_day(end.astimezone(zone)),
    )


def heat_map(year: int, pages: Mapping[date, int]) -> Markup:
    """Draw the days of a year in two halves, so that they fit on a phone."""
    first = _("Pages of each day of {year}, January to June", year=str(year))
    second = _("Pages of each day of {year}, July to December", year=str(year))
    return _half(date(year, 1, 1), date(year, 6, 30), pages, first) + _half(
        date(year, 7, 1), date(year, 12, 31), pages, second
    )


def _half(first: date, last: date, pages: Mapping[date, int], told: str) -> Markup:
    """Draw a column for each week; more pages have a stronger colour."""
    most, names = max(pages.values(), default=0), formats().months()
    cells, months = [], []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        read = pages.get(day, 0)
        level = min(LEVELS, 1 + (read - 1) * LEVELS // most) if read else 0
        x, y = (number + first.weekday()) // 7 * CELL, day.weekday() * CELL
        cells.append(
            Markup('<rect class="heat heat-{}" x="{}" y="{}" width="5" height="5" rx="1"/>').format(
                level, x, y
            )
        )
        if day.day == 1:
            months.append(Markup('<text x="{}" y="-3">{}</text>').format(x, names[day.month - 1]))
    return Markup(
        '<svg class="chart heat-map" viewBox="0 -9 163 51" role="img" aria-label="{}">{}{}</svg>'
    ).format(told, Markup("").join(months), Markup("").join(cells))


def month_bars(counts: Sequence[int], told: str) -> Markup:
    most, letters = max(*counts, 1), formats().month_letters()
    bars = []
    for month, count in enumerate(counts):
        high = round(count / most * 80, 1)
        x = month * 26 + 5
        bars.append(
            Markup(
                '<rect class="bar" x="{}" y="{}" width="18" height="{}" rx="3"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text>'
                '<text x="{}" y="98" text-anchor="middle">{}</text>'
            ).format(x, 84 - high, high, x + 9, 80 - high, count or "", x + 9, letters[month])
        )
    return Markup(
        '<svg class="chart month-bars" viewBox="0 -14 318 116" role="img" aria-label="{}">{}</svg>'
    ).format(told, Markup("").join(bars))


async def items_of(db: Database, query: Query[Any]) -> AsyncIterator[Mapping[str, Any]]:
    """Yield stored items a page at a time, so that other requests are answered in between."""
    asked: Query[Any] = replace(query.up_to_date(), load=dict).page(AT_A_TIME)
    while True:
        page = await db.query(asked)
        for item in page.items:
            yield item
        if page.next is None:
            return
        asked = asked.page(AT_A_TIME, page.next)
