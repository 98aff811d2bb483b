"""The cost of a page does not depend on the size of the family."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from tests.api_client import get_pages
from tests.costs import count_operations
from tests.home import Home, new_home
from tests.records import make_record
from tests.running import RunningApp, running_app

PAGE = 50


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[RunningApp]:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with running_app(database) as running:
        yield running
    await database.close()


async def home_with(running: RunningApp, count: int) -> Home:
    """Create a home with this many items: half are archived, a hundred have each quantity."""
    home = await new_home(running, f"{count} items", f"ada-{count}")
    items = [
        make_record(
            InventoryItem,
            family_id=home.family_id,
            item_id=clock.new_id(),
            quantity=number // 200,
            status="archived" if number % 2 else "active",
        )
        for number in range(2 * count)
    ]
    await running.db.batch([item.put() for item in items])
    await home.admin.get("/family")  # the first request finds out which family is theirs
    return home


async def measure_costs(home: Home, path: str) -> set[tuple[int, int]]:
    """Return the operations and records that a page reads, for several offsets."""
    engine, costs = home.running.db.engine, set()
    listing = get_pages(home.admin, path, PAGE)
    for _ in range(40):
        before = engine.rows
        with count_operations(home.running.db) as spent:
            page = await anext(listing, None)
        if page is None:
            break
        costs.add((spent.total(), engine.rows - before))
    await listing.aclose()
    return costs


@pytest.mark.timeout(180)
async def test_page_cost_is_independent_of_item_count(running: RunningApp) -> None:
    few, many = await home_with(running, 100), await home_with(running, 10_000)
    for path, queries in (("/items", 1), ("/items?status=archived", 1), ("/items?status=all", 2)):
        of_few, of_many = await measure_costs(few, path), await measure_costs(many, path)
        assert len({operations for operations, _ in of_few | of_many}) == 1
        most = max(rows for _, rows in of_many)
        assert most <= queries * (PAGE + 1), "one more each, to know whether there are more"
