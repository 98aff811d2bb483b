"""Test changes of an entry's name, quantity, store and notes."""

import asyncio
from typing import Any

from tests.api_client import (
    Shown,
    add_entry,
    add_place,
    add_purchased_entry,
    entry_path,
    get_changes,
    get_entry,
    get_pending_entry_ids,
    nothing_changes,
)
from tests.home import NOBODYS, Home, ids
from tests.running import problem_of

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "version", "Version must be a positive integer"),
    ({"version": None}, "version", "Version must be a positive integer"),
    ({"version": 0}, "version", "Version must be a positive integer"),
    ({"version": "1"}, "version", "Version must be a positive integer"),
    ({"version": 1, "name": None}, "name", "Name must be 1-100 characters"),
    ({"version": 1, "name": ""}, "name", "Name must be 1-100 characters"),
    ({"version": 1, "name": "x" * 101}, "name", "Name must be 1-100 characters"),
    ({"version": 1, "storeId": "x"}, "storeId", "Invalid store ID format"),
    ({"version": 1, "quantity": 0}, "quantity", "Quantity must be a positive integer"),
    ({"version": 1, "quantity": 2.0}, "quantity", "Quantity must be a positive integer"),
    ({"version": 1, "notes": "x" * 501}, "notes", "Notes must be 500 characters or less"),
    ({"version": 1, "status": "purchased"}, "status", "There’s no such field."),
    ({"version": 1, "itemId": NOBODYS}, "itemId", "There’s no such field."),
]


async def test_edit_changes_given_fields_only(home: Home, milk: Shown) -> None:
    old = await add_entry(home.admin, itemId=milk["itemId"], quantity=2)
    changes = {"name": " Oat milk ", "notes": "two red ones"}
    answer = await home.admin.patch(entry_path(old), changes | {"version": 1})
    new = answer.json()
    assert answer.status_code == 200
    assert new["updatedAt"] > old["updatedAt"]
    changed = {"name": "Oat milk", "notes": "two red ones", "version": 2}
    assert new == old | changed | {"updatedAt": new["updatedAt"]}
    assert await get_entry(home.admin, old) == new
    assert ("ShoppingListItem", old["shoppingItemId"], 2) in await get_changes(home)
    assert await get_pending_entry_ids(home, milk) == [old["shoppingItemId"]]


async def test_null_clears_store_quantity_and_notes(home: Home, milk: Shown) -> None:
    old = await add_entry(home.admin, itemId=milk["itemId"], quantity=2, notes="x")
    cleared = dict.fromkeys(("storeId", "quantity", "notes"))
    answer = await home.admin.patch(entry_path(old), cleared | {"version": 1})
    assert {name: answer.json()[name] for name in cleared} == cleared
    assert answer.json()["itemId"] == milk["itemId"]


async def test_entry_moves_to_another_store(home: Home, market: Shown) -> None:
    corner = await add_place(home.admin, "stores", "Corner shop")
    entry = await add_entry(home.admin, name="Cake", storeId=market["storeId"])
    moved = {"storeId": corner["storeId"], "version": 1}
    assert (await home.admin.patch(entry_path(entry), moved)).status_code == 200
    for store, expected in ((market, []), (corner, [entry["shoppingItemId"]])):
        answer = await home.admin.get(f"/shopping-list?storeId={store['storeId']}")
        assert ids(answer, "shoppingItemId") == expected
    assert (await home.admin.delete(f"/stores/{market['storeId']}")).status_code == 204
    refused = await home.admin.delete(f"/stores/{corner['storeId']}")
    assert problem_of(refused) == (409, "in_use")
    assert refused.json()["references"] == {"items": 0, "shoppingItems": 1}


async def test_edit_with_unknown_store_returns_404(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    async with nothing_changes(home):
        answer = await home.admin.patch(entry_path(entry), {"storeId": NOBODYS, "version": 1})
        assert problem_of(answer) == (404, "not_found")


async def test_invalid_request_names_each_wrong_field(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    async with nothing_changes(home):
        for body, field, message in WRONG:
            answer = await home.admin.patch(entry_path(entry), body)
            assert problem_of(answer) == (400, "validation"), body
            assert answer.json()["errors"] == [{"field": field, "message": message}]


async def test_outdated_version_returns_409_with_current_entry(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    await home.admin.patch(entry_path(entry), {"name": "Pie", "version": 1})
    now = await get_entry(home.admin, entry)
    for version in (1, 3):
        answer = await home.admin.patch(entry_path(entry), {"name": "Tart", "version": version})
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == now


async def test_edit_without_difference_keeps_version(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake", quantity=2)
    for body in ({}, {"name": "Cake"}, {"quantity": 2, "storeId": None}):
        answer = await home.admin.patch(entry_path(entry), body | {"version": 1})
        assert (answer.status_code, answer.json()) == (200, entry)


async def test_editing_purchased_entry_keeps_its_expiry(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    answer = await home.admin.patch(entry_path(entry), {"notes": "x", "version": 2})
    assert (answer.json()["ttl"], answer.json()["status"]) == (entry["ttl"], "purchased")


async def test_repeated_edit_replays_response(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    for body in ({"name": "Pie", "version": 1}, {"name": "Pie", "version": 2}):
        key = str(body["version"])
        first, *more = [await home.admin.patch(entry_path(entry), body, key=key) for _ in range(3)]
        assert [each.json() for each in more] == [first.json()] * 2
    assert (await get_entry(home.admin, entry))["version"] == 2


async def test_concurrent_move_to_store_and_its_deletion_stay_consistent(home: Home) -> None:
    """Either the entry gets the store and the store stays, or the store is deleted."""
    for round_ in range(6):
        store = await add_place(home.admin, "stores", f"Store {round_}")
        entry = await add_entry(home.admin, name="Cake")
        moved, gone = await asyncio.gather(
            home.admin.patch(entry_path(entry), {"storeId": store["storeId"], "version": 1}),
            home.admin.delete(f"/stores/{store['storeId']}"),
        )
        assert (moved.status_code, gone.status_code) in ((200, 409), (404, 204))
        named = (await get_entry(home.admin, entry))["storeId"]
        assert named == (store["storeId"] if moved.is_success else None)
