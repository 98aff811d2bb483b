"""Test which entries can be added to the list."""

from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.transaction import Transaction
from homeshelf.inventory import store as inventory
from homeshelf.places.model import Store
from homeshelf.shopping import entry_creation
from homeshelf.table import Write
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    entry_path,
    get_changes,
    get_entry,
    get_pending_entry_ids,
    get_shopping_list,
    mark_entry,
    nothing_changes,
    set_archived,
)
from tests.database_hooks import close_and_reopen_store, with_hook
from tests.databases import Opener
from tests.home import NOBODYS, Home
from tests.running import problem_of

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "name", "Name must be 1-100 characters"),
    ({"name": None, "itemId": None}, "name", "Name must be 1-100 characters"),
    ({"name": "   "}, "name", "Name must be 1-100 characters"),
    ({"name": "x" * 101}, "name", "Name must be 1-100 characters"),
    ({"name": 7}, "name", "Name must be 1-100 characters"),
    ({"itemId": NOBODYS, "name": ""}, "name", "Name must be 1-100 characters"),
    ({"name": "x", "itemId": "milk"}, "itemId", "Invalid inventory item ID format"),
    ({"name": "x", "itemId": 7}, "itemId", "Invalid inventory item ID format"),
    ({"name": "x", "storeId": "market"}, "storeId", "Invalid store ID format"),
    ({"name": "x", "storeId": "unassigned"}, "storeId", "Invalid store ID format"),
    ({"name": "x", "quantity": 0}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "quantity": -1}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "quantity": 1.5}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "quantity": "3"}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "quantity": True}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "quantity": 10**40}, "quantity", "Quantity must be a positive integer"),
    ({"name": "x", "notes": "x" * 501}, "notes", "Notes must be 500 characters or less"),
    ({"name": "x", "shoppingItemId": "e1"}, "shoppingItemId", "Invalid shopping item ID format"),
    ({"name": "x", "status": "purchased"}, "status", "There’s no such field."),
]
NOT_FOUND = 404, "not_found"
UPPER_ID = "8F14E45F-CEEA-467A-9B36-34F6C3B3E7D1"


async def test_free_text_needs_only_a_name(home: Home) -> None:
    entry = await add_entry(home.admin, name="  Birthday cake ")
    made = {name: entry.pop(name) for name in ("shoppingItemId", "createdAt", "updatedAt")}
    assert entry == {
        "familyId": home.family_id,
        "itemId": None,
        "name": "Birthday cake",
        "storeId": None,
        "status": "pending",
        "quantity": None,
        "notes": None,
        "version": 1,
        "ttl": None,
        "putAwayAt": None,
        "addedBy": home.admin.member_id,
        "entityType": "ShoppingListItem",
    }
    assert made["createdAt"] == made["updatedAt"]
    assert await get_entry(home.admin, made) == entry | made
    assert ("ShoppingListItem", made["shoppingItemId"], 1) in await get_changes(home)


async def test_entry_takes_name_and_store_of_item(home: Home, milk: Shown, market: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"], quantity=2, notes="the red one")
    said = {name: entry[name] for name in ("itemId", "name", "storeId", "quantity", "notes")}
    assert said == {
        "itemId": milk["itemId"],
        "name": "Milk",
        "storeId": market["storeId"],
        "quantity": 2,
        "notes": "the red one",
    }
    assert await get_pending_entry_ids(home, milk) == [entry["shoppingItemId"]]


async def test_given_name_and_store_override_those_of_item(home: Home, milk: Shown) -> None:
    answer = await home.admin.post("/stores", {"name": "Corner shop"})
    corner = answer.json()["storeId"]
    entry = await add_entry(home.admin, itemId=milk["itemId"], name="Oat milk", storeId=corner)
    assert (entry["name"], entry["storeId"]) == ("Oat milk", corner)


async def test_null_field_equals_missing_field(home: Home, milk: Shown, market: Shown) -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("name", "storeId", "quantity", "notes", "force", "shoppingItemId")
    )
    entry = await add_entry(home.admin, itemId=milk["itemId"], **nothing)
    assert (entry["name"], entry["storeId"]) == ("Milk", market["storeId"])


async def test_invalid_request_names_each_wrong_field(home: Home) -> None:
    for body, field, message in WRONG:
        answer = await home.admin.post("/shopping-list", body)
        assert problem_of(answer) == (400, "validation"), body
        assert answer.json()["errors"] == [{"field": field, "message": message}]
    assert await get_shopping_list(home.admin) == []


async def test_response_names_all_wrong_fields(home: Home) -> None:
    wrong = {"quantity": 0, "storeId": "x", "shoppingItemId": "y", "notes": 1, "force": "yes"}
    answer = await home.admin.post("/shopping-list", wrong)
    assert {error["field"] for error in answer.json()["errors"]} == {*wrong, "name"}


async def test_longest_and_smallest_values_are_accepted(home: Home) -> None:
    longest = {"name": "x" * 100, "notes": "x" * 500, "quantity": 9_999_999_999}
    for given in (longest, {"name": "x", "notes": "", "quantity": 1}):
        entry = await add_entry(home.admin, **given)
        assert entry == entry | given
        assert await get_entry(home.admin, entry) == entry


async def test_unknown_items_and_stores_are_not_found(home: Home, milk: Shown) -> None:
    async with nothing_changes(home):
        for body in (
            {"itemId": NOBODYS},
            {"itemId": NOBODYS, "name": "x", "force": True},
            {"name": "x", "storeId": NOBODYS},
            {"itemId": milk["itemId"], "storeId": NOBODYS},
        ):
            assert problem_of(await home.admin.post("/shopping-list", body)) == (404, "not_found")


async def test_archived_item_cannot_be_added(home: Home, milk: Shown) -> None:
    await set_archived(home.admin, milk, "archive")
    async with nothing_changes(home):
        for force in (False, True):
            body = {"itemId": milk["itemId"], "force": force}
            answer = await home.admin.post("/shopping-list", body)
            assert problem_of(answer) == (422, "item_unavailable")
    await set_archived(home.admin, milk, "unarchive")
    await add_entry(home.admin, itemId=milk["itemId"])


async def test_second_addition_returns_409_with_pending_entry(home: Home, milk: Shown) -> None:
    there = await add_entry(home.admin, itemId=milk["itemId"])
    async with nothing_changes(home):
        answer = await home.admin.post("/shopping-list", {"itemId": milk["itemId"], "name": "Oat"})
        assert problem_of(answer) == (409, "duplicate")
        assert answer.json()["existing"] == there


async def test_forced_addition_creates_second_entry(home: Home, milk: Shown) -> None:
    first = await add_entry(home.admin, itemId=milk["itemId"], force=True)
    second = await add_entry(home.admin, itemId=milk["itemId"], force=True)
    assert await get_pending_entry_ids(home, milk) == [
        first["shoppingItemId"],
        second["shoppingItemId"],
    ]
    answer = await home.admin.post("/shopping-list", {"itemId": milk["itemId"]})
    assert answer.json()["existing"] == first
    await mark_entry(home.admin, first, "purchased")
    answer = await home.admin.post("/shopping-list", {"itemId": milk["itemId"]})
    assert answer.json()["existing"] == second
    await home.admin.delete(entry_path(second))
    assert await get_pending_entry_ids(home, milk) == []
    await add_entry(home.admin, itemId=milk["itemId"])


async def test_purchased_entry_does_not_block_addition(home: Home, milk: Shown) -> None:
    first = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    second = await add_entry(home.admin, itemId=milk["itemId"])
    await mark_entry(home.admin, first, "pending")
    assert await get_pending_entry_ids(home, milk) == [
        second["shoppingItemId"],
        first["shoppingItemId"],
    ]


async def test_same_free_text_can_be_added_twice(home: Home) -> None:
    for _ in range(2):
        await add_entry(home.admin, name="Cake")
    assert len(await get_shopping_list(home.admin)) == 2


async def test_client_can_choose_the_id_of_an_entry(home: Home, milk: Shown) -> None:
    ids = [clock.new_id(), clock.new_id()]
    for made, more in zip(ids, ({"name": "Cake"}, {"itemId": milk["itemId"]}), strict=True):
        entry = await add_entry(home.admin, shoppingItemId=made, **more)
        assert entry["shoppingItemId"] == made
        for again in ({"name": "Tea"}, more, {**more, "force": True}):
            answer = await home.admin.post("/shopping-list", {"shoppingItemId": made, **again})
            assert problem_of(answer) == (409, "duplicate")
            assert answer.json()["existing"] == entry
    upper = await add_entry(home.admin, name="Tea", shoppingItemId=UPPER_ID)
    assert upper["shoppingItemId"] == UPPER_ID.lower()
    assert await get_pending_entry_ids(home, milk) == [ids[1]]


async def test_repeated_request_adds_one_entry(home: Home, milk: Shown) -> None:
    first = await home.admin.post("/shopping-list", {"name": "Cake"}, key="cake")
    again = await home.admin.post("/shopping-list", {"name": "Cake"}, key="cake")
    assert (again.status_code, again.json()) == (201, first.json())
    first = await home.admin.post("/shopping-list", {"itemId": milk["itemId"]}, key="milk")
    again = await home.admin.post("/shopping-list", {"itemId": milk["itemId"]}, key="milk")
    assert (again.status_code, again.json()) == (201, first.json())
    refused = {"itemId": milk["itemId"]}
    assert problem_of(await home.admin.post("/shopping-list", refused, key="m")) == (
        409,
        "duplicate",
    )
    other = await home.admin.post("/shopping-list", {"name": "Tea"}, key="milk")
    assert problem_of(other) == (409, "idempotency_mismatch")
    assert len(await get_shopping_list(home.admin)) == 2


async def test_entry_omits_missing_store_of_its_item(home: Home) -> None:
    """Another program can leave such an item in the table."""
    tea = await add_item(home.admin, name="Tea")
    db = home.running.db
    record = await inventory.get_item(db, home.family_id, tea["itemId"])
    assert record is not None
    await db.put(record.changed(preferred_store_id=NOBODYS))
    assert (await add_entry(home.admin, itemId=tea["itemId"]))["storeId"] is None


async def test_entry_keeps_store_whose_deletion_was_abandoned(home: Home, market: Shown) -> None:
    at, db = market["storeId"], home.running.db
    tea = await add_item(home.admin, name="Tea", preferredStoreId=at)
    other = with_hook(db, close_and_reopen_store(db, Store.key_for(home.family_id, at)))
    entry = await entry_creation.add_entry(other, home.family_id, "ada", {"item_id": tea["itemId"]})
    assert entry.store_id == at


async def test_entry_purchased_during_addition_does_not_block_it(home: Home, milk: Shown) -> None:
    first = await add_entry(home.admin, itemId=milk["itemId"])
    looks = 0

    async def buy(moment: str, operation: str) -> None:
        nonlocal looks
        if (moment, operation) == ("after", "get_many"):
            looks += 1
            if looks == 1:  # the pending entries were read before
                await mark_entry(home.admin, first, "purchased")

    db = with_hook(home.running.db, buy)
    second = await entry_creation.add_entry(db, home.family_id, "ada", {"item_id": milk["itemId"]})
    assert await get_pending_entry_ids(home, milk) == [second.shopping_item_id]


@pytest.mark.parametrize(
    ("happens", "refused"),
    [("archive", (422, "item_unavailable")), ("remove", (404, "not_found"))],
)
async def test_item_archived_or_deleted_during_addition_is_refused(
    open_another: Opener,
    home: Home,
    milk: Shown,
    monkeypatch: pytest.MonkeyPatch,
    happens: str,
    refused: tuple[int, str],
) -> None:
    """The item changes between its read and the transaction."""
    db, other = home.running.db, open_another()
    transact = db.transact

    async def change_item_before_commit(*writes: Write) -> None:
        monkeypatch.undo()
        key = inventory.key_of(home.family_id, milk["itemId"])
        await (
            inventory.remove(other, key, ())
            if happens == "remove"
            else inventory.set_status(other, key, "archived")
        )
        await transact(*writes)

    monkeypatch.setattr(db, "transact", change_item_before_commit)
    answer = await home.admin.post("/shopping-list", {"itemId": milk["itemId"]})
    assert problem_of(answer) == refused
    assert await get_shopping_list(home.admin) == []
    assert await get_pending_entry_ids(home, milk) == []


async def test_forced_entry_is_added_in_a_given_transaction(home: Home, milk: Shown) -> None:
    db = home.running.db
    first = await add_entry(home.admin, itemId=milk["itemId"])
    given = {"item_id": milk["itemId"], "name": "Milk", "quantity": 1}
    new = entry_creation.build_entry(home.family_id, home.admin.member_id, given)
    tx = Transaction(db)
    await entry_creation.add_forced_entry(tx, new)
    await db.transact(*tx.writes())
    assert await get_pending_entry_ids(home, milk) == [
        first["shoppingItemId"],
        new.shopping_item_id,
    ]


async def test_order_of_refusals_of_an_addition(home: Home, milk: Shown) -> None:
    """The order is: deleted item, archived item, taken id, pending entry, unknown store."""
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    taken = entry["shoppingItemId"]
    again = {"itemId": milk["itemId"], "shoppingItemId": taken}
    other = await add_entry(home.admin, name="Bread")
    held = {"itemId": milk["itemId"], "shoppingItemId": other["shoppingItemId"]}
    for force in (False, True):
        answer = await home.admin.post("/shopping-list", held | {"force": force})
        assert problem_of(answer) == (409, "duplicate")
        assert answer.json()["existing"] == other
    bread = {"name": "Bread", "shoppingItemId": other["shoppingItemId"], "storeId": NOBODYS}
    answer = await home.admin.post("/shopping-list", bread)
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == other
    answer = await home.admin.post("/shopping-list", again)
    assert answer.json()["existing"] == entry
    nowhere = {"itemId": milk["itemId"], "storeId": NOBODYS}
    answer = await home.admin.post("/shopping-list", nowhere)
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == entry
    answer = await home.admin.post("/shopping-list", nowhere | {"force": True})
    assert (problem_of(answer), answer.json()["detail"]) == (NOT_FOUND, "There’s no such store.")
    await set_archived(home.admin, milk, "archive")
    for force in (False, True):
        for asked in (again, nowhere):
            answer = await home.admin.post("/shopping-list", asked | {"force": force})
            assert problem_of(answer) == (422, "item_unavailable")
    for more in ({"shoppingItemId": taken}, {"storeId": NOBODYS}):
        answer = await home.admin.post("/shopping-list", {"itemId": NOBODYS} | more)
        assert (problem_of(answer), answer.json()["detail"]) == (
            NOT_FOUND,
            "There’s no such item.",
        )
