"""Test that the counts of the demo household add up, and that some items are low."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from homeshelf import clock
from homeshelf.demo.sample_data import SAMPLE, Thing, create_items
from homeshelf.inventory.history import days_left
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.inventory.store import history_of
from tests.api_client import add_place, get_all_pages, get_open_notice
from tests.home import Home


async def fill_shelves(home: Home) -> dict[str, str]:
    places = {}
    for name in SAMPLE.locations:
        places[name] = (await add_place(home.admin, "locations", name))["locationId"]
    for name in SAMPLE.stores:
        places[name] = (await add_place(home.admin, "stores", name))["storeId"]
    people = [home.admin.member_id]
    return await create_items(home.running.db, home.family_id, people, places, clock.now())


@pytest.mark.parametrize("thing", SAMPLE.things, ids=lambda thing: thing.name)
def test_sample_count_is_at_most_one_pack_above_threshold(thing: Thing) -> None:
    assert 0 <= thing.quantity <= thing.threshold - 1 + thing.pack
    assert (thing.location in SAMPLE.locations, thing.store in SAMPLE.stores) == (True, True)


async def test_sample_history_covers_half_a_year_and_adds_up(home: Home) -> None:
    ids = await fill_shelves(home)
    assert len(ids) == len(SAMPLE.things) >= 25
    longest = Counter[str]()
    for thing in SAMPLE.things:
        found = await home.running.db.all(history_of(home.family_id, ids[thing.name]))
        history = list(found)[::-1]
        assert history[0].source == "created"
        assert all(one.at < other.at for one, other in pairwise(history))
        assert sum(change.delta for change in history) == thing.quantity == history[-1].quantity
        assert all(one.quantity + other.delta == other.quantity for one, other in pairwise(history))
        assert min(change.quantity for change in history) >= 0
        longest[thing.name] = len(history)
    assert longest["Bread rolls"] > 200
    oldest = await oldest_change(home, ids["Rice"])
    assert oldest.at < clock.timestamp(clock.now() - timedelta(days=180))


async def oldest_change(home: Home, item_id: str) -> QuantityChange:
    return list(await home.running.db.all(history_of(home.family_id, item_id)))[-1]


async def test_exactly_the_low_items_have_a_notice(home: Home) -> None:
    await fill_shelves(home)
    items = await get_all_pages(home.admin, "/items", 100)
    low = {item["name"] for item in items if item["isLowStock"]}
    assert {"Oat milk", "Coffee", "Toothpaste"} <= low
    assert len(low) < len(items) / 2
    for item in items:
        assert (await get_open_notice(home, item) is not None) == (item["name"] in low)


async def test_most_items_have_a_forecast(home: Home) -> None:
    ids = await fill_shelves(home)
    foreseen = 0
    for item_id in ids.values():
        history = await home.running.db.all(history_of(home.family_id, item_id))
        foreseen += days_left(history, history[0].quantity, clock.now()) is not None
    assert foreseen > len(ids) * 0.6


async def test_sample_item_can_be_adjusted(home: Home) -> None:
    ids = await fill_shelves(home)
    answer = await home.admin.post(f"/items/{ids['Eggs']}/adjust", {"delta": -1})
    assert answer.json()["item"]["isLowStock"]
    eggs = await home.running.db.get(
        InventoryItem.key(family_id=home.family_id, item_id=ids["Eggs"])
    )
    assert eggs is not None
    assert eggs.version > 100


async def test_sample_household_has_usual_things_and_store_orders(home: Home) -> None:
    await fill_shelves(home)
    usual = (await home.admin.get("/shopping-list/usual")).json()["items"]
    assert len(usual) == len({it["name"] for it in usual}) > 15
    assert max(it["timesBought"] for it in usual) > 5
    stores = (await home.admin.get("/stores")).json()["items"]
    for store in stores:
        asked = f"/shopping-list/order?storeId={store['storeId']}"
        order = (await home.admin.get(asked)).json()["names"]
        assert order == [thing.name for thing in SAMPLE.things if thing.store == store["name"]]
        assert len(order) > 4
