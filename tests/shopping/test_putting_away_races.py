"""Putting away while the item changes: what is said to have happened has happened."""

import asyncio
from collections import Counter

import pytest

from homeshelf.errors import ItemUnavailable, VersionConflict, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping import store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.stock_transfer import StockChoice, Transfer, put_all_away
from homeshelf.shopping.stock_transfer import put_away as put_away_entry
from homeshelf.shopping.stock_transfer import undo_put_away as take_back_entry
from homeshelf.table import Key
from tests.api_client import (
    Shown,
    add_item,
    add_purchased_entry,
    adjust,
    entry_path,
    get_all_pages,
    get_entry,
    get_item,
    put_away,
    set_archived,
    take_back,
)
from tests.database_hooks import (
    after_first_query,
    before_first_transaction,
    with_hook,
)
from tests.databases import Opener
from tests.home import Home
from tests.moment import Moment

MOST = 9_999_999_999
LATER = "2024-11-01T12:00:05.000Z"


def key_of(home: Home, entry: Shown) -> Key[ShoppingListItem]:
    return store.key_of(home.family_id, entry["shoppingItemId"])


async def test_an_item_that_is_put_aside_takes_nothing_also_where_nothing_is_added(
    home: Home,
) -> None:
    """There is no room for more, so the item itself would not change."""
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)

    async def archived_items() -> None:
        await set_archived(home.admin, salt, "archive")

    db = with_hook(home.running.db, before_first_transaction(archived_items))
    with pytest.raises(ItemUnavailable):
        await put_away_entry(db, key_of(home, entry), entry["version"], None, "ada")
    assert await get_entry(home.admin, entry) == entry


async def test_what_came_with_nothing_is_not_taken_from_an_item_that_is_gone(home: Home) -> None:
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)
    away, _ = await put_away(home.admin, entry)

    async def delete() -> None:
        assert (await home.admin.delete(f"/items/{salt['itemId']}")).status_code == 204

    db = with_hook(home.running.db, before_first_transaction(delete))
    with pytest.raises((ItemUnavailable, VersionConflict)):
        await take_back_entry(db, key_of(home, entry), away["version"], "ada")
    assert (await get_entry(home.admin, entry))["putAwayAt"] == away["putAwayAt"]


async def test_it_comes_after_the_last_change_of_the_item(home: Home, moment: Moment) -> None:
    """Another machine's clock is ahead: history is found by the moment, so it must be its own."""
    milk = await add_item(home.admin, name="Milk", quantity=1)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    await _touched(home, milk, LATER)
    away, item = await put_away(home.admin, entry)
    assert away["putAwayAt"] == away["updatedAt"] == item["updatedAt"] > LATER
    history = await get_all_pages(home.admin, f"/items/{milk['itemId']}/history", 10)
    assert (history[0]["at"], history[0]["delta"]) == (away["putAwayAt"], 4)
    _, item = await take_back(home.admin, away)
    assert item["quantity"] == 1
    assert moment.at.second == 0


async def test_what_was_counted_at_the_same_moment_is_not_taken_back(
    home: Home, moment: Moment
) -> None:
    """There was no room for more, so the item knows nothing of that moment."""
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)
    moment.pass_by(1)
    away, _ = await put_away(home.admin, entry)
    await adjust(home.admin, salt, -3)
    (counted, *_) = await get_all_pages(home.admin, f"/items/{salt['itemId']}/history", 10)
    assert counted["at"] == away["putAwayAt"]
    _, item = await take_back(home.admin, away)
    assert item["quantity"] == MOST - 3


async def test_it_comes_after_the_last_change_of_the_entry(home: Home, moment: Moment) -> None:
    milk = await add_item(home.admin, name="Milk", quantity=1)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    moment.pass_by(-3)
    away, item = await put_away(home.admin, entry)
    assert away["putAwayAt"] == item["updatedAt"] > entry["updatedAt"]
    assert (await get_item(home.admin, milk))["updatedAt"] == away["putAwayAt"]


async def test_who_is_quicker_with_some_stops_nobody_who_puts_all_away(home: Home) -> None:
    items = [
        await add_item(home.admin, name=name, quantity=1)
        for name in ("Milk", "Salt", "Rice", "Tea")
    ]
    milk, salt, rice, tea = [
        await add_purchased_entry(home.admin, itemId=each["itemId"]) for each in items
    ]

    async def be_quicker() -> None:
        await put_away(home.admin, salt)
        assert (await home.admin.delete(entry_path(rice))).status_code == 204
        noted = await home.admin.patch(entry_path(tea), {"notes": "Broken", "version": 2})
        assert noted.status_code == 200

    db = with_hook(home.running.db, after_first_query(be_quicker))
    assert await put_all_away(db, home.family_id, None, "ada") == []
    assert [(await get_item(home.admin, each))["quantity"] for each in items] == [2, 2, 1, 1]
    assert (await get_entry(home.admin, milk))["putAwayAt"] is not None
    assert (await get_entry(home.admin, tea))["putAwayAt"] is None


async def test_those_of_one_entry_are_never_joined(
    open_another: Opener, home: Home, milk: Shown
) -> None:
    """All wait for the item's turn together with adjustments, and only those go together."""
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    key = inventory.key_of(home.family_id, milk["itemId"])
    counted, all_wait = Counter[str](), asyncio.Event()

    async def count(moment: str, operation: str) -> None:
        counted[operation] += moment == "after"
        if counted["get"] == len(puts):  # each has looked which item to wait for
            all_wait.set()

    looked_on = with_hook(open_another(), count)
    turn = asyncio.create_task(looked_on.retry_with_lock(key, all_wait.wait))
    puts = [
        asyncio.create_task(put_away_entry(looked_on, key_of(home, entry), 2, None, "ada"))
        for _ in range(8)
    ]
    adjusts = [
        asyncio.create_task(inventory.adjust(looked_on, key, 1, "adjust", "ada")) for _ in range(8)
    ]
    await turn
    results = await asyncio.gather(*puts, return_exceptions=True)
    await asyncio.gather(*adjusts)
    (done,) = [each for each in results if isinstance(each, Transfer)]
    refused = [each for each in results if isinstance(each, WrongState)]
    assert len(refused) == 7
    assert {each.record for each in refused} == {done.entry}
    assert counted["transact"] == 2
    assert (await get_entry(home.admin, entry))["version"] == entry["version"] + 1
    assert (await get_item(home.admin, milk))["quantity"] == milk["quantity"] + 4 + 8
    history = await get_all_pages(home.admin, f"/items/{milk['itemId']}/history", 100)
    sources = Counter(each["source"] for each in history)
    assert sources == {"created": 1, "put_away": 1, "adjust": 8}


async def test_free_text_waits_for_the_turn_of_the_item_that_it_becomes(
    open_another: Opener, home: Home, milk: Shown
) -> None:
    """Otherwise adjustments of the item would make it retry."""
    entry = await add_purchased_entry(home.admin, name="Milk", quantity=2)
    db, ended = open_another(), asyncio.Event()
    item = inventory.key_of(home.family_id, milk["itemId"])
    turn = asyncio.create_task(db.retry_with_lock(item, ended.wait))
    await asyncio.sleep(0)
    choice = StockChoice(item_id=milk["itemId"])
    put = asyncio.create_task(put_away_entry(db, key_of(home, entry), 2, None, "ada", choice))
    await asyncio.wait([put], timeout=0.1)
    assert not put.done()
    ended.set()
    await turn
    done = await put
    assert done.item is not None
    assert done.item.quantity == milk["quantity"] + 2


async def _touched(home: Home, item: Shown, at: str) -> None:
    def touch(old: InventoryItem) -> InventoryItem:
        return old.changed(updated_at=at)

    await home.running.db.change(inventory.key_of(home.family_id, item["itemId"]), touch)
