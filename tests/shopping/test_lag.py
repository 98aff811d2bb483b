"""Test that requests do not depend on lagging indexes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.table import Database
from tests.api_client import (
    add_entry,
    add_item,
    add_place,
    entry_path,
    get_entry,
    get_shopping_list,
    mark_entry,
    put_away,
)
from tests.home import Home, new_home
from tests.running import problem_of, running_app
from tests.table.faulty_engines import LaggingSqlite

AN_HOUR = 3600.0


@pytest.fixture
async def slow_home(tmp_path: Path) -> AsyncIterator[Home]:
    database = Database(LaggingSqlite(tmp_path / "homeshelf.db", AN_HOUR))
    await database.engine.create_tables()
    async with running_app(database) as running:
        yield await new_home(running, "Lovelace", "ada")
    await database.close()


async def test_decisions_do_not_depend_on_indexes(slow_home: Home) -> None:
    ada = slow_home.admin
    market = await add_place(ada, "stores", "Market")
    milk = await add_item(ada, name="Milk", preferredStoreId=market["storeId"])
    entry = await add_entry(ada, itemId=milk["itemId"])
    assert await get_shopping_list(ada) == [entry]
    again = await ada.post("/shopping-list", {"itemId": milk["itemId"]})
    assert problem_of(again) == (409, "duplicate")
    assert await get_shopping_list(ada, f"?storeId={market['storeId']}") == []
    away, _ = await put_away(ada, await mark_entry(ada, entry, "purchased"))
    assert await get_shopping_list(ada) == [away]
    other = await add_entry(ada, itemId=milk["itemId"])
    assert (await ada.delete(f"/items/{milk['itemId']}")).status_code == 204
    for each in (away, other):
        assert (await get_entry(ada, each))["itemId"] is None
    refused = await ada.delete(f"/stores/{market['storeId']}")
    assert refused.json()["references"] == {"items": 0, "shoppingItems": 2}
    assert (await ada.delete(entry_path(other))).status_code == 204
