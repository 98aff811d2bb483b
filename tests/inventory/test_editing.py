"""Edits of an item's details."""

import asyncio
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import changes_since
from homeshelf.places.model import StorageLocation, Store
from homeshelf.taps.item_observer import BATCH_SIZE
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import tags_of_item
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    adjust,
    edit_item,
    get_item,
    set_archived,
    wait_until,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.records import make_record
from tests.running import Person, problem_of


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=5, unit="bags", notes="The brown one")


async def patch(home: Home, item: Shown, **body: Any) -> Any:
    return await home.admin.patch(f"/items/{item['itemId']}", body)


async def test_patch_changes_only_given_fields(home: Home, rice: Shown) -> None:
    edited = await edit_item(home.admin, rice, name=" Wild rice ")
    assert edited == rice | {
        "name": "Wild rice",
        "version": 2,
        "updatedAt": edited["updatedAt"],
    }
    assert edited["updatedAt"] > rice["updatedAt"]
    assert await get_item(home.admin, rice) == edited


async def test_place_being_deleted_does_not_block_items_that_use_it(home: Home) -> None:
    place = await add_place(home.admin, "locations", "Pantry")
    shop, other = [await add_place(home.admin, "stores", name) for name in ("Market", "Kiosk")]
    known = {"locationId": place["locationId"], "preferredStoreId": shop["storeId"]}
    rice = await add_item(home.admin, name="Rice", **known, alternateStoreIds=[other["storeId"]])
    for kind, place_id in (
        (StorageLocation, place["locationId"]),
        (Store, shop["storeId"]),
        (Store, other["storeId"]),
    ):
        key = kind.key_for(home.family_id, place_id)
        await home.running.db.change(key, lambda old: old.changed(closed_at=clock.timestamp()))
    assert (await edit_item(home.admin, rice, notes="Brown"))["notes"] == "Brown"


async def test_patch_changes_every_field_except_quantity(home: Home, rice: Shown) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    market = await add_place(home.admin, "stores", "Market")
    changes = {
        "name": "Oats",
        "threshold": 7,
        "locationId": pantry["locationId"],
        "preferredStoreId": market["storeId"],
        "alternateStoreIds": [market["storeId"]],
        "unit": "boxes",
        "notes": "Rolled",
        "picture": "🌾",
    }
    edited = await edit_item(home.admin, rice, **changes)
    assert edited == edited | changes | {"quantity": 5, "isLowStock": True}


async def test_null_clears_optional_fields(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    market = await add_place(home.admin, "stores", "Market")
    rice = await add_item(
        home.admin,
        locationId=pantry["locationId"],
        preferredStoreId=market["storeId"],
        unit="bags",
        notes="The brown one",
        picture="🍚",
    )
    empty = dict.fromkeys(("locationId", "preferredStoreId", "unit", "notes", "picture"))
    edited = await edit_item(home.admin, rice, **empty)
    assert edited == edited | empty
    key = f"/locations/{pantry['locationId']}"
    assert (await home.admin.delete(key)).status_code == 204


WRONG: dict[str, tuple[str, list[Any]]] = {
    "name": ("Name must be 1-100 characters", [None, " ", "x" * 101, 5]),
    "threshold": ("Threshold must be a non-negative integer", [None, -1, "1", 1.5, False]),
    "locationId": ("Invalid location ID format", ["pantry", ""]),
    "preferredStoreId": ("Invalid store ID format", [5]),
    "alternateStoreIds": (
        "Alternate stores must be a list of up to 20 IDs",
        [None, "x", [NOBODYS] * 21],
    ),
    "unit": ("Unit must be 50 characters or less", ["x" * 51]),
    "picture": ("Picture must be one emoji", ["", "rice", "🍚🍚"]),
    "notes": ("Notes must be 500 characters or less", ["x" * 501]),
    "version": ("Version must be a positive integer", [None, 0, "1", 1.0]),
    "quantity": ("There’s no such field.", [3]),
    "status": ("There’s no such field.", ["archived"]),
    "isLowStock": ("There’s no such field.", [True]),
}


@pytest.mark.parametrize("field", WRONG)
async def test_invalid_value_is_reported_for_its_field(home: Home, rice: Shown, field: str) -> None:
    message, values = WRONG[field]
    for value in values:
        answer = await patch(home, rice, **({"version": 1} | {field: value}))
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == [{"field": field, "message": message}]


async def test_malformed_id_in_list_is_reported_with_its_position(home: Home, rice: Shown) -> None:
    answer = await patch(home, rice, alternateStoreIds=[NOBODYS, "x"], version=1)
    assert problem_of(answer) == (400, "validation")
    expected = {"field": "alternateStoreIds.1", "message": "Invalid store ID format"}
    assert answer.json()["errors"] == [expected]


async def test_patch_requires_version(home: Home, rice: Shown) -> None:
    answer = await patch(home, rice, name="Oats")
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == ["version"]


async def test_stale_version_returns_409_with_current_item(home: Home, rice: Shown) -> None:
    await edit_item(home.admin, rice, threshold=9)
    answer = await patch(home, rice, name="Oats", version=1)
    assert problem_of(answer) == (409, "version_conflict")
    current = answer.json()["current"]
    assert current == await get_item(home.admin, rice)
    assert (current["isLowStock"], current["version"]) == (True, 2)


async def test_future_version_returns_409(home: Home, rice: Shown) -> None:
    assert problem_of(await patch(home, rice, name="Oats", version=2)) == (409, "version_conflict")


async def test_adjustment_makes_version_stale(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, 1)
    assert problem_of(await patch(home, rice, name="Oats", version=1)) == (409, "version_conflict")


async def test_patch_with_current_values_changes_nothing(home: Home, rice: Shown) -> None:
    same = {"name": "Rice ", "unit": "bags", "threshold": 0, "alternateStoreIds": []}
    with count_operations(home.running.db) as spent:
        answers = [await patch(home, rice, version=1, **body) for body in (same, {})]
    assert [answer.json() for answer in answers] == [rice, rice]
    assert spent["transact"] == spent["put"] == 0
    stale = await patch(home, rice, version=2, **same)
    assert problem_of(stale) == (409, "version_conflict")


async def test_repeated_patch_without_effect_returns_first_response(
    home: Home, rice: Shown
) -> None:
    path, body = f"/items/{rice['itemId']}", {"name": "Rice", "version": 1}
    assert (await home.admin.patch(path, body, key="k")).json() == rice
    await adjust(home.admin, rice, 1)
    assert (await home.admin.patch(path, body, key="k")).json() == rice


async def test_repeated_patch_is_applied_once(home: Home, rice: Shown) -> None:
    path, body = f"/items/{rice['itemId']}", {"name": "Oats", "version": 1}
    answers = await asyncio.gather(*(home.admin.patch(path, body, key="k") for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert (await get_item(home.admin, rice))["version"] == 2


async def test_concurrent_patches_give_one_409(home: Home, rice: Shown) -> None:
    answers = await asyncio.gather(
        *(patch(home, rice, name=name, version=1) for name in ("Oats", "Millet"))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_unknown_place_returns_404(home: Home, rice: Shown, neighbour: Person) -> None:
    pantry = await add_place(neighbour, "locations", "Pantry")
    market = await add_place(neighbour, "stores", "Market")
    for body in (
        {"locationId": NOBODYS},
        {"locationId": pantry["locationId"]},
        {"preferredStoreId": market["storeId"]},
        {"alternateStoreIds": [market["storeId"]]},
    ):
        answer = await patch(home, rice, version=1, **body)
        assert problem_of(answer) == (404, "not_found")
    assert await get_item(home.admin, rice) == rice


async def test_location_id_is_not_accepted_as_store(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    rice = await add_item(home.admin, locationId=pantry["locationId"])
    answer = await patch(home, rice, preferredStoreId=pantry["locationId"], version=1)
    assert problem_of(answer) == (404, "not_found")


async def test_archived_item_can_be_edited(home: Home, rice: Shown) -> None:
    await set_archived(home.admin, rice, "archive")
    edited = await edit_item(home.admin, rice, name="Oats")
    assert (edited["name"], edited["status"], edited["version"]) == ("Oats", "archived", 3)


async def test_changes_reach_listeners(home: Home, rice: Shown) -> None:
    await edit_item(home.admin, rice, name="Oats")
    told = await changes_since(home.running.db, home.family_id, None)
    assert [each.version for each in told if each.id == rice["itemId"]] == [1, 2]


async def with_tags(home: Home, item: Shown, count: int) -> None:
    tags = [
        make_record(
            NFCUrl,
            family_id=home.family_id,
            item_id=item["itemId"],
            url_id=f"{number:022}",
            item_name=item["name"],
            is_active=number % 2 == 0,
            created_at=clock.timestamp(),
        )
        for number in range(count)
    ]
    await home.running.db.batch([tag.put() for tag in tags])


async def item_tags(home: Home, item: Shown) -> list[NFCUrl]:
    query = tags_of_item(home.family_id, item["itemId"])
    return list(await home.running.db.all(query.up_to_date()))


async def test_rename_updates_tags_in_same_transaction(home: Home) -> None:
    rice, beans = await add_item(home.admin, name="Rice"), await add_item(home.admin, name="Beans")
    await with_tags(home, rice, 3)
    await with_tags(home, beans, 1)
    with count_operations(home.running.db) as spent:
        await edit_item(home.admin, rice, name="Oats")
    assert spent["transact"] == 1
    assert [(tag.item_name, tag.is_active) for tag in await item_tags(home, rice)] == [
        ("Oats", True),
        ("Oats", False),
        ("Oats", True),
    ]
    assert [tag.item_name for tag in await item_tags(home, beans)] == ["Beans"]


async def test_rename_updates_more_tags_than_one_transaction_holds(home: Home) -> None:
    rice = await add_item(home.admin, name="Rice")
    await with_tags(home, rice, BATCH_SIZE + 60)
    await edit_item(home.admin, rice, name="Oats")

    async def all_are_renamed() -> bool:
        return {tag.item_name for tag in await item_tags(home, rice)} == {"Oats"}

    await wait_until(all_are_renamed)


async def test_largest_edit_fits_into_one_transaction(home: Home) -> None:
    """The edit changes a name with tags, 21 stores, a location and a notice, with an idempotency
    key."""
    stores = [await add_place(home.admin, "stores", f"Store {number}") for number in range(21)]
    pantry = await add_place(home.admin, "locations", "Pantry")
    rice = await add_item(home.admin, name="Rice")
    await with_tags(home, rice, BATCH_SIZE)
    changes = {
        "name": "Oats",
        "threshold": 5,
        "locationId": pantry["locationId"],
        "preferredStoreId": stores[0]["storeId"],
        "alternateStoreIds": [store["storeId"] for store in stores[1:]],
        "version": 1,
    }
    answer = await home.admin.patch(f"/items/{rice['itemId']}", changes, key="k")
    assert answer.status_code == 200
    assert {tag.item_name for tag in await item_tags(home, rice)} == {"Oats"}
