"""Test that purchased free text becomes a new item, joins one, or stays without an item."""

import asyncio
from typing import Any

import pytest

from homeshelf.errors import NotFound, VersionConflict, WrongState
from homeshelf.places.model import Store
from homeshelf.shopping import store
from homeshelf.shopping.stock_transfer import StockChoice, Transfer
from homeshelf.shopping.stock_transfer import put_away as put_away_entry
from homeshelf.table.operations import Delete
from tests.api_client import (
    Shown,
    add_entry,
    add_purchased_entry,
    adjust,
    entry_path,
    get_all_pages,
    get_changes,
    get_entry,
    get_item_history,
    get_open_notice,
    get_pending_entry_ids,
    get_shopping_list,
    mark_entry,
    nothing_changes,
    put_away,
    set_archived,
    take_back,
)
from tests.database_hooks import (
    before_first_transaction,
    close_and_reopen_store,
    with_hook,
)
from tests.databases import Opener
from tests.home import NOBODYS, Home, new_home
from tests.running import Person, RunningApp, problem_of

CHOICES: list[dict[str, Any]] = [{"asNewItem": True}, {"withoutItem": True}]


async def all_items(home: Home) -> list[Shown]:
    return await get_all_pages(home.admin, "/items?status=all", 100)


async def test_strangers_and_children_cannot_put_free_text_away(
    running: RunningApp, home: Home, kid: Person
) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    nobody, eve = running.visitor(), (await new_home(running, "Others", "eve")).admin
    async with nothing_changes(home):
        for way in CHOICES:
            body = way | {"version": 2}
            for person, refusal in (
                (nobody, (401, "unauthenticated")),
                (kid, (403, "forbidden")),
                (eve, (404, "not_found")),
            ):
                answer = await person.post(entry_path(entry, "/put-away"), body)
                assert problem_of(answer) == refusal


async def test_free_text_cannot_become_another_familys_item(
    running: RunningApp, home: Home, milk: Shown
) -> None:
    eve = (await new_home(running, "Others", "eve")).admin
    theirs = await add_purchased_entry(eve, name="Cake")
    async with nothing_changes(home):
        for item_id in (milk["itemId"], NOBODYS):
            body = {"itemId": item_id, "version": 2}
            answer = await eve.post(entry_path(theirs, "/put-away"), body)
            assert problem_of(answer) == (404, "not_found")
    assert await get_entry(eve, theirs) == theirs


async def test_put_away_free_text_becomes_new_item(home: Home, market: Shown) -> None:
    at = market["storeId"]
    entry = await add_purchased_entry(home.admin, name="Cake", quantity=3, notes="big", storeId=at)
    away, item = await put_away(home.admin, entry, asNewItem=True)
    assert away["putAwayAt"] == away["updatedAt"] > entry["updatedAt"]
    changed = {name: away[name] for name in ("putAwayAt", "updatedAt", "itemId")}
    assert away == entry | changed | {"version": 3, "itemId": item["itemId"]}
    assert await all_items(home) == [item]
    assert (item["name"], item["quantity"], item["threshold"]) == ("Cake", 3, 0)
    assert (item["preferredStoreId"], item["createdBy"]) == (at, home.admin.member_id)
    assert await get_item_history(home, item) == [("created", 3, 3)]
    changes = await get_changes(home)
    assert ("ShoppingListItem", entry["shoppingItemId"], 3) in changes
    assert ("InventoryItem", item["itemId"], 1) in changes


async def test_undo_keeps_new_item_and_its_link(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    away, item = await put_away(home.admin, entry, asNewItem=True, quantity=5)
    await adjust(home.admin, item, 2)
    back, left = await take_back(home.admin, away)
    assert (back["putAwayAt"], back["itemId"]) == (None, item["itemId"])
    assert left["quantity"] == 2
    assert (await get_item_history(home, item))[0] == ("undo", -5, 2)
    for way in (*CHOICES, {"itemId": item["itemId"]}):
        body = way | {"version": back["version"]}
        answer = await home.admin.post(entry_path(back, "/put-away"), body)
        assert problem_of(answer) == (422, "item_unavailable")
    _, again = await put_away(home.admin, back)
    assert again["quantity"] == 3
    assert len(await all_items(home)) == 1


async def test_put_away_free_text_is_added_to_existing_item(home: Home, milk: Shown) -> None:
    assert await get_open_notice(home, milk) is not None
    entry = await add_purchased_entry(home.admin, name="Oat milk", quantity=4)
    away, item = await put_away(home.admin, entry, itemId=milk["itemId"])
    assert (away["itemId"], away["name"], item["quantity"]) == (milk["itemId"], "Oat milk", 5)
    assert await get_open_notice(home, milk) is None
    assert await get_item_history(home, milk) == [("put_away", 4, 5), ("created", 1, 1)]
    back, item = await take_back(home.admin, away)
    assert (back["itemId"], item["quantity"]) == (milk["itemId"], 1)
    pending = await mark_entry(home.admin, back, "pending")
    assert await get_pending_entry_ids(home, milk) == [pending["shoppingItemId"]]


async def test_put_away_free_text_without_item_changes_no_stock(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    answer = await home.admin.post(
        entry_path(entry, "/put-away"), {"withoutItem": True, "version": 2}
    )
    away = answer.json()["shoppingItem"]
    assert (answer.json()["item"], away["itemId"], away["version"]) == (None, None, 3)
    assert away["putAwayAt"] == away["updatedAt"]
    assert await all_items(home) == []
    answer = await home.admin.delete(entry_path(entry, "/put-away"), {"version": 3})
    back = answer.json()["shoppingItem"]
    assert (answer.json()["item"], back["putAwayAt"], back["version"]) == (None, None, 4)
    assert await get_entry(home.admin, entry) == back


async def test_put_away_can_be_undone_after_item_deletion(home: Home, milk: Shown) -> None:
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, itemId=milk["itemId"])
    )
    assert (await home.admin.delete(f"/items/{milk['itemId']}")).status_code == 204
    now = await get_entry(home.admin, away)
    answer = await home.admin.delete(entry_path(away, "/put-away"), {"version": now["version"]})
    assert answer.status_code == 200
    assert (answer.json()["item"], answer.json()["shoppingItem"]["putAwayAt"]) == (None, None)


async def test_put_away_requires_choice_for_free_text_only(home: Home, milk: Shown) -> None:
    free = await add_purchased_entry(home.admin, name="Cake")
    linked = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    ways: list[dict[str, Any]] = [{}, {"asNewItem": False}, {"withoutItem": False}]
    ways.append({"itemId": None, "quantity": 2})
    async with nothing_changes(home):
        for way in ways:
            answer = await home.admin.post(entry_path(free, "/put-away"), way | {"version": 2})
            assert problem_of(answer) == (422, "item_unavailable")
        for way in (*CHOICES, {"itemId": milk["itemId"]}):
            answer = await home.admin.post(entry_path(linked, "/put-away"), way | {"version": 2})
            assert problem_of(answer) == (422, "item_unavailable")


async def test_put_away_with_two_choices_is_refused(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    new, done, of = {"asNewItem": True}, {"withoutItem": True}, {"itemId": milk["itemId"]}
    async with nothing_changes(home):
        for body in (new | done, new | of, done | of, new | done | of, {"asNewItem": "yes"}):
            answer = await home.admin.post(entry_path(entry, "/put-away"), body | {"version": 2})
            assert problem_of(answer) == (400, "validation")


async def test_archived_item_refuses_put_away(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    await set_archived(home.admin, milk, "archive")
    async with nothing_changes(home):
        body = {"itemId": milk["itemId"], "version": 2}
        answer = await home.admin.post(entry_path(entry, "/put-away"), body)
        assert problem_of(answer) == (422, "item_unavailable")


async def test_put_away_free_text_requires_purchased_entry_once(home: Home) -> None:
    pending = await add_entry(home.admin, name="Cake")
    answer = await home.admin.post(
        entry_path(pending, "/put-away"), {"asNewItem": True, "version": 1}
    )
    assert problem_of(answer) == (409, "wrong_state")
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, name="Tea"), asNewItem=True
    )
    for version in (1, 2, 3):
        body = {"asNewItem": True, "version": version}
        answer = await home.admin.post(entry_path(away, "/put-away"), body)
        assert problem_of(answer) == (409, "wrong_state")
        assert answer.json()["current"] == away
    stale = await add_purchased_entry(home.admin, name="Jam")
    answer = await home.admin.post(
        entry_path(stale, "/put-away"), {"asNewItem": True, "version": 1}
    )
    assert problem_of(answer) == (409, "version_conflict")
    assert [it["name"] for it in await all_items(home)] == ["Tea"]


async def test_repeated_put_away_request_is_applied_once(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    for way in CHOICES:
        body, path = way | {"version": 2}, entry_path(entry, "/put-away")
        answers = [await home.admin.post(path, body, key="k") for _ in range(3)]
        assert len({answer.content for answer in answers}) == 1
        assert answers[0].status_code == 200
        entry = await add_purchased_entry(home.admin, name="Cake")
    assert len(await all_items(home)) == 1


@pytest.mark.parametrize("quantity", [None, 2])
async def test_concurrent_put_aways_create_one_item(
    open_another: Opener, home: Home, quantity: int | None
) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake", quantity=7)
    key = store.key_of(home.family_id, entry["shoppingItemId"])
    machines = [open_another() for _ in range(3)]
    new, done = StockChoice(as_new_item=True), StockChoice(without_item=True)
    results = await asyncio.gather(
        *(
            put_away_entry(db, key, 2, quantity, home.admin.member_id, way)
            for db in machines
            for way in (new, done, new)
        ),
        return_exceptions=True,
    )
    (made,) = [each for each in results if isinstance(each, Transfer)]
    others = [each for each in results if each is not made]
    assert all(isinstance(each, WrongState | VersionConflict) for each in others)
    assert [it["quantity"] for it in await all_items(home)] == [quantity or 7] * bool(made.item)
    now = await get_entry(home.admin, entry)
    assert (now["version"], now["itemId"]) == (3, made.item and made.item.item_id)


async def test_item_deleted_during_put_away_is_not_linked(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    key = store.key_of(home.family_id, entry["shoppingItemId"])

    async def delete() -> None:
        assert (await home.admin.delete(f"/items/{milk['itemId']}")).status_code == 204

    db = with_hook(home.running.db, before_first_transaction(delete))
    with pytest.raises(NotFound):
        await put_away_entry(db, key, 2, None, "ada", StockChoice(item_id=milk["itemId"]))
    assert await get_entry(home.admin, entry) == entry


async def test_concurrent_links_and_item_deletion_leave_no_link(home: Home, milk: Shown) -> None:
    entries = [await add_purchased_entry(home.admin, name=f"Cake {number}") for number in range(6)]

    async def put_away_to_milk(entry: Shown) -> int:
        body = {"itemId": milk["itemId"], "version": 2}
        return (await home.admin.post(entry_path(entry, "/put-away"), body)).status_code

    async def delete() -> int:
        return (await home.admin.delete(f"/items/{milk['itemId']}")).status_code

    *links, gone = await asyncio.gather(*map(put_away_to_milk, entries), delete())
    assert gone == 204
    assert set(links) <= {200, 404}
    assert all(it["itemId"] is None for it in await get_shopping_list(home.admin))


async def test_new_item_omits_missing_store(home: Home, market: Shown) -> None:
    at = market["storeId"]
    entry = await add_purchased_entry(home.admin, name="Cake", storeId=at)
    key = store.key_of(home.family_id, entry["shoppingItemId"])
    await home.running.db.write(Delete(Store.key_for(home.family_id, at)))
    put = await put_away_entry(home.running.db, key, 2, None, "ada", StockChoice(as_new_item=True))
    assert put.item is not None
    assert put.item.preferred_store_id is None
    assert put.entry.store_id == at


async def test_new_item_keeps_store_whose_deletion_was_abandoned(home: Home, market: Shown) -> None:
    at = market["storeId"]
    entry = await add_purchased_entry(home.admin, name="Cake", storeId=at)
    db = with_hook(
        home.running.db, close_and_reopen_store(home.running.db, Store.key_for(home.family_id, at))
    )
    key = store.key_of(home.family_id, entry["shoppingItemId"])
    put = await put_away_entry(db, key, 2, None, "ada", StockChoice(as_new_item=True))
    assert put.item is not None
    assert put.item.preferred_store_id == at
