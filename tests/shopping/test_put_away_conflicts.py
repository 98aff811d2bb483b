"""Test putting away while the item or the entry changes."""

import asyncio
from collections import Counter

import pytest

from homeshelf.errors import ItemUnavailable, VersionConflict, WrongState
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping import store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.stock_transfer import StockChoice, Transfer
from homeshelf.shopping.stock_transfer import put_away as put_away_entry
from homeshelf.shopping.stock_transfer import undo_put_away as take_back_entry
from homeshelf.table import Key
from tests.api_client import (
    Shown,
    add_item,
    add_purchased_entry,
    adjust,
    get_all_pages,
    get_entry,
    get_item,
    put_away,
    set_archived,
    take_back,
)
from tests.database_hooks import (
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


async def test_item_archived_during_put_away_refuses_it_even_at_maximum(
    home: Home,
) -> None:
    """The count is at its maximum, so the item itself would not change."""
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)

    async def archive_item() -> None:
        await set_archived(home.admin, salt, "archive")

    db = with_hook(home.running.db, before_first_transaction(archive_item))
    with pytest.raises(ItemUnavailable):
        await put_away_entry(db, key_of(home, entry), entry["version"], None, "ada")
    assert await get_entry(home.admin, entry) == entry


async def test_undo_is_refused_if_item_is_deleted_during_it(home: Home) -> None:
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)
    away, _ = await put_away(home.admin, entry)

    async def delete() -> None:
        assert (await home.admin.delete(f"/items/{salt['itemId']}")).status_code == 204

    db = with_hook(home.running.db, before_first_transaction(delete))
    with pytest.raises((ItemUnavailable, VersionConflict)):
        await take_back_entry(db, key_of(home, entry), away["version"], "ada")
    assert (await get_entry(home.admin, entry))["putAwayAt"] == away["putAwayAt"]


async def test_put_away_time_follows_last_change_of_item(home: Home, moment: Moment) -> None:
    """The clock of another machine is ahead. History is found by its time, which must be unique."""
    milk = await add_item(home.admin, name="Milk", quantity=1)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    await _set_updated_at(home, milk, LATER)
    away, item = await put_away(home.admin, entry)
    assert away["putAwayAt"] == away["updatedAt"] == item["updatedAt"] > LATER
    history = await get_all_pages(home.admin, f"/items/{milk['itemId']}/history", 10)
    assert (history[0]["at"], history[0]["delta"]) == (away["putAwayAt"], 4)
    _, item = await take_back(home.admin, away)
    assert item["quantity"] == 1
    assert moment.at.second == 0


async def test_undo_ignores_adjustment_with_the_same_time(home: Home, moment: Moment) -> None:
    """The count was at its maximum, so the item has no change with that time."""
    salt = await add_item(home.admin, name="Salt", quantity=MOST)
    entry = await add_purchased_entry(home.admin, itemId=salt["itemId"], quantity=2)
    moment.pass_by(1)
    away, _ = await put_away(home.admin, entry)
    await adjust(home.admin, salt, -3)
    (counted, *_) = await get_all_pages(home.admin, f"/items/{salt['itemId']}/history", 10)
    assert counted["at"] == away["putAwayAt"]
    _, item = await take_back(home.admin, away)
    assert item["quantity"] == MOST - 3


async def test_put_away_time_follows_last_change_of_entry(home: Home, moment: Moment) -> None:
    milk = await add_item(home.admin, name="Milk", quantity=1)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    moment.pass_by(-3)
    away, item = await put_away(home.admin, entry)
    assert away["putAwayAt"] == item["updatedAt"] > entry["updatedAt"]
    assert (await get_item(home.admin, milk))["updatedAt"] == away["putAwayAt"]


async def test_concurrent_put_aways_of_one_entry_are_not_batched(
    open_another: Opener, home: Home, milk: Shown
) -> None:
    """All wait for the lock of the item, and only the adjustments are batched."""
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    key = inventory.key_of(home.family_id, milk["itemId"])
    counted, all_wait = Counter[str](), asyncio.Event()

    async def count(moment: str, operation: str) -> None:
        counted[operation] += moment == "after"
        if counted["get"] == len(puts):  # each has read the item to wait for
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


async def test_free_text_waits_for_the_lock_of_its_item(
    open_another: Opener, home: Home, milk: Shown
) -> None:
    """Without the lock, adjustments of the item would cause retries."""
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


async def _set_updated_at(home: Home, item: Shown, at: str) -> None:
    def change_timestamp(old: InventoryItem) -> InventoryItem:
        return old.changed(updated_at=at)

    await home.running.db.change(inventory.key_of(home.family_id, item["itemId"]), change_timestamp)
