"""The forecast of an item's duration from its history."""

from datetime import UTC, datetime

import pytest

from homeshelf.inventory.history import days_left
from homeshelf.inventory.model import QuantityChange, Source
from tests.records import make_record

NOW = datetime(2024, 11, 11, 12, tzinfo=UTC)


def make_change(day: int, delta: int, source: Source = "adjust") -> QuantityChange:
    at = f"2024-11-{day:02}T12:00:00.000Z"
    return make_record(QuantityChange, at=at, delta=delta, source=source)


USED = [make_change(1, 20, "created"), make_change(3, -2), make_change(6, -3, "tap")]


def test_forecast_extrapolates_past_use() -> None:
    assert days_left(USED, 15, NOW) == 30, "five in ten days"


def test_undone_changes_are_not_counted_as_use() -> None:
    taken_back = [
        *USED,
        make_change(7, 5, "put_away"),
        make_change(7, -5, "undo"),
        make_change(8, 1, "undo"),
    ]
    assert days_left(taken_back, 15, NOW) == 30


@pytest.mark.parametrize(
    ("history", "quantity"),
    [
        (USED[:2], 15),
        (USED, 0),
        ([make_change(10, -2), make_change(11, -2)], 15),
        (USED, 1000),
        ([], 5),
    ],
    ids=["used once", "nothing left", "since yesterday", "for years", "no history"],
)
def test_too_little_history_gives_no_forecast(history: list[QuantityChange], quantity: int) -> None:
    assert days_left(history, quantity, NOW) is None
