"""Test sharing the shopping list of one store."""

from typing import Any

import pytest

from homeshelf.errors import NotFound
from homeshelf.shares.checklist.creation_pages import shopping_at
from homeshelf.shares.checklist.model import NewItem
from tests.api_client import Shown, add_place
from tests.home import NOBODYS, Home
from tests.running import Person


async def add_entry(home: Home, **sent: Any) -> Shown:
    answer = await home.admin.post("/shopping-list", sent)
    assert answer.status_code == 201, answer.text
    entry: Shown = answer.json()
    return entry


async def test_pending_entries_of_a_store_become_a_list(home: Home) -> None:
    market = await add_place(home.admin, "stores", "Market")
    shop = await add_place(home.admin, "stores", "Corner shop")
    for sent in (
        {"name": "Eggs", "quantity": 10, "storeId": market["storeId"], "notes": "Brown ones"},
        {"name": "Bread", "quantity": 1, "storeId": market["storeId"]},
        {"name": "Tea", "storeId": shop["storeId"]},
        {"name": "Candles"},
        {"name": "Apples", "storeId": market["storeId"]},
    ):
        entry = await add_entry(home, **sent)
        if entry["name"] == "Apples":
            path = f"/shopping-list/{entry['shoppingItemId']}/status"
            await home.admin.patch(path, {"status": "purchased", "version": 1})
    db = home.running.db
    found = await shopping_at(db, home.family_id, market["storeId"])
    assert (found.name, found.items) == (
        "Market",
        (NewItem("10 Eggs", "Brown ones"), NewItem("Bread")),
    )
    unassigned = await shopping_at(db, home.family_id, None)
    assert unassigned.items == (NewItem("Candles"),)


async def test_store_of_another_family_returns_404(home: Home, neighbour: Person) -> None:
    theirs = await add_place(neighbour, "stores", "Theirs")
    for store_id in (theirs["storeId"], NOBODYS):
        with pytest.raises(NotFound):
            await shopping_at(home.running.db, home.family_id, store_id)
