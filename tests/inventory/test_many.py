"""A page costs the same in a family of ten thousand items as in one of a hundred."""

from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median
from time import process_time

import pytest

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database
from homeshelf.table.sqlite import Sqlite
from tests.cupboard import pages
from tests.home import Home, new_home
from tests.house import OpenHouse, open_house
from tests.made import made

GENEROUS = 3
"""How much longer a page may take: the machine does other things too."""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with open_house(database) as house:
        yield house
    await database.close()


async def home_with(house: OpenHouse, count: int) -> Home:
    """Half of them archived, and a hundred of each quantity."""
    home = await new_home(house, f"{count} things", f"ada-{count}")
    items = [
        made(
            InventoryItem,
            family_id=home.family_id,
            item_id=clock.new_id(),
            quantity=number // 200,
            status="archived" if number % 2 else "active",
        )
        for number in range(2 * count)
    ]
    await house.db.batch([item.put() for item in items])
    return home


async def cost(home: Home, path: str) -> tuple[set[int], float]:
    """How many operations a page needs, and how long one takes."""
    operations, times = set(), []
    listing = pages(home.admin, path, 50)
    for _ in range(40):
        began = process_time()
        with home.house.db.counting() as spent:
            page = await anext(listing, None)
        if page is None:
            break
        times.append(process_time() - began)
        operations.add(spent.total())
    await listing.aclose()
    return operations, median(times)


@pytest.mark.timeout(180)
async def test_pages_cost_the_same_however_many_items_there_are(house: OpenHouse) -> None:
    few, many = await home_with(house, 100), await home_with(house, 10_000)
    for path in ("/items", "/items?status=archived", "/items?status=all"):
        for _ in range(2):
            await cost(few, path)
        (operations_of_few, time_of_few), (operations_of_many, time_of_many) = (
            await cost(few, path),
            await cost(many, path),
        )
        assert operations_of_many == operations_of_few
        assert len(operations_of_many) == 1
        assert time_of_many < GENEROUS * time_of_few
