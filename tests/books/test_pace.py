"""Test the forecast and the streaks of a reader."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from homeshelf import clock
from homeshelf.books.model import Book, ReadingEvent
from homeshelf.books.statistics import Forecast, Streaks, forecast, heat_map, streaks
from tests.records import make_record

NOW = datetime(2024, 11, 1, 12, tzinfo=UTC)
TODAY = NOW.date()


def pages_by_day(*ago: int) -> dict[date, int]:
    return {TODAY - timedelta(days=each): 10 for each in ago}


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        ((), Streaks(0, 0)),
        ((0,), Streaks(1, 1)),
        ((1,), Streaks(1, 1)),
        ((2,), Streaks(0, 1)),
        ((0, 1, 2), Streaks(3, 3)),
        ((1, 2), Streaks(2, 2)),
        ((0, 2, 3, 4), Streaks(1, 3)),
        ((2, 3, 9), Streaks(0, 2)),
    ],
)
def test_a_streak_ends_after_a_day_without_a_page(ago: tuple[int, ...], expected: Streaks) -> None:
    assert streaks(pages_by_day(*ago), TODAY) == expected


def reading_events(*reached: tuple[int, int]) -> list[ReadingEvent]:
    return [
        make_record(ReadingEvent, page=page, occurred_at=clock.timestamp(NOW - timedelta(days=ago)))
        for ago, page in reached
    ]


@pytest.mark.parametrize(
    ("reached", "expected"),
    [
        ((), None),
        (((0, 50),), Forecast(50, 3)),
        (((10, 0), (5, 50), (0, 100)), Forecast(10, 10)),
        (((90, 60), (15, 80), (0, 90)), Forecast(1, 110)),
        (((31, 100),), None),
        (((30, 60), (0, 90)), Forecast(3, 37)),
        (((0, 199),), Forecast(199, 1)),
        (((5, 100), (4, 20), (3, 10)), Forecast(20, 10)),
    ],
)
def test_forecast_uses_the_pace_of_the_last_month(
    reached: tuple[tuple[int, int], ...], expected: Forecast | None
) -> None:
    book = make_record(Book, total_pages=200, current_page=reached[-1][1] if reached else None)
    assert forecast(book, reading_events(*reached), NOW) == expected


def test_finished_or_endless_book_has_no_forecast() -> None:
    for total in (None, 50):
        book = make_record(Book, total_pages=total, current_page=50)
        assert forecast(book, reading_events((1, 25), (0, 50)), NOW) is None


@pytest.mark.parametrize(
    ("day", "place"),
    [
        (date(2026, 1, 1), ("0", "18")),
        (date(2026, 1, 5), ("6", "0")),
        (date(2026, 6, 30), ("156", "6")),
        (date(2026, 7, 1), ("0", "12")),
        (date(2026, 12, 31), ("156", "18")),
    ],
)
def test_heat_map_places_each_day_in_its_week(day: date, place: tuple[str, str]) -> None:
    drawn = heat_map(day.year, {day: 3})
    found = re.findall(r'heat heat-[1-4]" x="(\d+)" y="(\d+)"', drawn)
    assert found == [place]
    assert drawn.count('class="heat ') == 365
