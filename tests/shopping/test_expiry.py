"""Test that purchased entries expire after a week."""

import pytest

from homeshelf.shopping import store
from homeshelf.shopping.model import ShoppingListItem, latest_by_name
from homeshelf.table import INVENTORY
from homeshelf.table.sqlite.engine import Sqlite
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    entry_path,
    get_pending_entry_ids,
    get_shopping_list,
    mark_entry,
    put_away,
)
from tests.home import Home
from tests.moment import Moment
from tests.running import problem_of

A_WEEK = 604_800


def sign_in_again(home: Home) -> None:
    """Replace the access token, which lasts for minutes."""
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))


@pytest.fixture
async def expiring_entry(moment: Moment, home: Home, milk: Shown) -> Shown:
    """An entry that expires in one second."""
    sign_in_again(home)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    moment.pass_by(A_WEEK - 1)
    sign_in_again(home)
    return entry


async def test_purchased_entry_is_listed_until_expiry(home: Home, expiring_entry: Shown) -> None:
    assert await get_shopping_list(home.admin) == [expiring_entry]
    await mark_entry(home.admin, expiring_entry, "pending")


async def test_expired_entry_is_absent_from_every_read(
    home: Home, expiring_entry: Shown, moment: Moment
) -> None:
    moment.pass_by(1)
    at = f"storeId={expiring_entry['storeId']}"
    for question in ("", "?status=purchased", f"?{at}", f"?{at}&status=purchased"):
        assert await get_shopping_list(home.admin, question) == []
    assert latest_by_name(await home.running.db.all(store.whole_list(home.family_id))) == []
    assert problem_of(await home.admin.get(entry_path(expiring_entry))) == (404, "not_found")


async def test_expired_entry_refuses_every_change(
    home: Home, expiring_entry: Shown, moment: Moment, milk: Shown
) -> None:
    moment.pass_by(1)
    for method, path, body in (
        ("PATCH", "", {"name": "x"}),
        ("PATCH", "/status", {"status": "pending"}),
        ("PATCH", "/status", {"status": "purchased"}),
        ("POST", "/put-away", {}),
        ("DELETE", "/put-away", {}),
        ("DELETE", "", {}),
    ):
        answer = await home.admin.ask(
            method, entry_path(expiring_entry, path), body | {"version": 2}
        )
        assert problem_of(answer) == (404, "not_found")
    await store.unlink_item(home.running.db, home.family_id, milk["itemId"])
    assert await get_pending_entry_ids(home, milk) == []


async def test_expired_entry_blocks_no_addition(
    home: Home, expiring_entry: Shown, moment: Moment, milk: Shown, market: Shown
) -> None:
    moment.pass_by(1)
    same = await add_entry(
        home.admin,
        itemId=milk["itemId"],
        shoppingItemId=expiring_entry["shoppingItemId"],
        storeId=None,
    )
    assert (same["version"], same["ttl"]) == (1, None)
    assert await get_pending_entry_ids(home, milk) == [expiring_entry["shoppingItemId"]]
    moment.pass_by(A_WEEK)
    sign_in_again(home)
    assert await get_shopping_list(home.admin) == [same]
    assert (await home.admin.delete(entry_path(same))).status_code == 204
    assert (
        await home.admin.patch(f"/items/{milk['itemId']}", without_store(milk))
    ).status_code == 200
    assert (await home.admin.delete(f"/stores/{market['storeId']}")).status_code == 204


async def test_expired_entry_does_not_block_store_deletion(
    home: Home, market: Shown, moment: Moment
) -> None:
    sign_in_again(home)
    await add_purchased_entry(home.admin, name="Cake", storeId=market["storeId"])
    answer = await home.admin.delete(f"/stores/{market['storeId']}")
    assert answer.json()["references"] == {"items": 0, "shoppingItems": 1}
    moment.pass_by(A_WEEK)
    sign_in_again(home)
    assert (await home.admin.delete(f"/stores/{market['storeId']}")).status_code == 204


async def test_put_away_keeps_expiry_of_entry(home: Home, moment: Moment, milk: Shown) -> None:
    sign_in_again(home)
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    moment.pass_by(600)
    away, _ = await put_away(home.admin, entry)
    assert away["ttl"] == entry["ttl"]
    moment.pass_by(A_WEEK - 600)
    sign_in_again(home)
    assert await get_shopping_list(home.admin) == []


@pytest.mark.usefixtures("expiring_entry")
@pytest.mark.parametrize("open_another", ["sqlite"], indirect=True)
async def test_expired_entries_are_swept(home: Home, moment: Moment) -> None:
    """DynamoDB does this by its time to live."""
    tea = await add_item(home.admin, name="Tea")
    kept = await add_entry(home.admin, itemId=tea["itemId"])
    moment.pass_by(1)
    engine = home.running.db.engine
    assert isinstance(engine, Sqlite)
    await engine.sweep()
    rows = (await engine.scan(INVENTORY, 1000)).items
    entries = [row for row in rows if row.get("entityType") == "ShoppingListItem"]
    assert [ShoppingListItem.load(row).shopping_item_id for row in entries] == [
        kept["shoppingItemId"]
    ]
    assert await get_pending_entry_ids(home, tea) == [kept["shoppingItemId"]]


def without_store(item: Shown) -> dict[str, object]:
    return {"preferredStoreId": None, "version": item["version"]}
