"""The forecast uses the changes of the last sixty days."""

from datetime import datetime, timedelta

import pytest

from homeshelf import clock
from homeshelf.inventory.history import days_left
from homeshelf.inventory.model import QuantityChange, Source
from tests.api_client import add_item, adjust
from tests.home import Home
from tests.moment import DAY, Moment
from tests.pages import look
from tests.records import make_record
from tests.running import Person

NOW = datetime.fromisoformat("2025-03-01T12:00:00+00:00")
Change = tuple[float, int] | tuple[float, int, Source]


def forecast_days(quantity: int, *changes: Change) -> int | None:
    """Return the forecast after changes, each given by its age in days and its amount."""
    history = [_make_change(*change) for change in changes]
    return days_left(history, quantity, NOW)


def _make_change(days_ago: float, delta: int, source: Source = "adjust") -> QuantityChange:
    at = clock.timestamp(NOW - timedelta(days=days_ago))
    return make_record(QuantityChange, at=at, delta=delta, source=source)


@pytest.mark.parametrize(
    ("quantity", "changes", "days"),
    [
        (3, [(5, -1), (10, -1)], 15),  # two in ten days: three last fifteen
        (3, [(5, -2), (10, -3)], 6),
        (1, [(1, -5), (10, -5)], 1),
        (5, [(0.5, -1), (2, -1)], 5),
        (1, [(5, -50), (10, -50)], 1),  # never "about 0 days"
        (3, [(1, -1), (2, -1), (3, +10)], 4),  # 4.5 and 7.5 go to the even number
        (5, [(1, -1), (2, -1), (3, +10)], 8),
        (4, [(5, -1), (10, -1), (20, +9)], 40),  # counted from the oldest change, of any kind
    ],
)
def test_forecast_divides_quantity_by_past_use(
    quantity: int, changes: list[Change], days: int
) -> None:
    assert forecast_days(quantity, *changes) == days


def test_single_use_gives_no_forecast() -> None:
    assert forecast_days(3, (5, -4)) is None
    assert forecast_days(3, (5, -4), (10, +6)) is None
    assert forecast_days(3, (5, -4), (10, 0, "created")) is None
    assert forecast_days(3, (5, -4), (10, -6)) is not None
    assert forecast_days(3) is None


def test_undone_changes_are_not_counted_as_use() -> None:
    assert forecast_days(3, (5, -1), (10, -1, "undo")) is None
    assert forecast_days(3, (5, -1), (10, -1), (10, -8, "undo")) == 15


def test_empty_item_has_no_forecast() -> None:
    assert forecast_days(0, (5, -1), (10, -1)) is None


def test_history_shorter_than_two_days_gives_no_forecast() -> None:
    assert forecast_days(3, (0.5, -1), (1.99, -1)) is None
    assert forecast_days(3, (0.5, -1), (2, -1)) == 3


def test_changes_older_than_sixty_days_are_ignored() -> None:
    assert forecast_days(6, (30, -1), (60, -1)) == 180
    assert forecast_days(6, (30, -1), (60.01, -1)) is None
    assert forecast_days(6, (20, -1), (30, -1), (60.01, -30)) == 90


def test_forecast_beyond_a_year_is_omitted() -> None:
    assert forecast_days(73, (5, -1), (10, -1)) == 365
    assert forecast_days(74, (5, -1), (10, -1)) is None
    assert forecast_days(183, (5, -2), (10, -3)) is None, "366 days"


async def test_item_page_shows_forecast_to_every_member(
    home: Home, kid: Person, moment: Moment
) -> None:
    rice = await add_item(home.admin, quantity=14, threshold=8)
    for _ in range(3):
        moment.pass_by(DAY)
        for person in (home.admin, kid):
            person.bear(home.running.access_token(person.member_id, person.session_id))
        await adjust(home.admin, rice, -2)
    for person in (home.admin, kid):
        assert "About 4 days left" in (await look(person, f"/stock/{rice['itemId']}")).words
    for taken, left in ((-1, "about 3 days left"), (-5, "about 1 day left")):
        await adjust(home.admin, rice, taken)
        page = await look(home.admin, f"/stock/{rice['itemId']}")
        assert page.in_order("Running low", left)
