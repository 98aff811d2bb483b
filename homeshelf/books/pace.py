"""How fast somebody reads, how long without a break, and when a book may be finished."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from homeshelf.books.model import Book, ReadingEvent
from homeshelf.books.statistics import forward_steps

LATELY = timedelta(days=30)


@dataclass(frozen=True)
class Streaks:
    """Days in a row on which something was read."""

    current: int
    longest: int


@dataclass(frozen=True)
class Forecast:
    pages_per_day: float
    days_left: int


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
    days = max((now - begun).total_seconds() / 86_400, 1.0)
    pace = read / days
    return Forecast(pace, max(1, round(left / pace)))
