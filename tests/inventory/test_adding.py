"""Adding items: accepted fields and validation errors."""

import asyncio
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from tests.api_client import Shown, add_item, add_place, get_all_pages, get_item
from tests.home import NOBODYS, Home
from tests.running import Person, problem_of

MOST = 9_999_999_999


async def test_name_is_the_only_required_field(home: Home) -> None:
    answer = await home.admin.post("/items", {"name": "  Rice "})
    assert answer.status_code == 201
    item = answer.json()
    assert item == {
        "itemId": item["itemId"],
        "familyId": home.family_id,
        "name": "Rice",
        "quantity": 0,
        "threshold": 0,
        "locationId": None,
        "preferredStoreId": None,
        "alternateStoreIds": [],
        "unit": None,
        "notes": None,
        "picture": None,
        "barcodes": [],
        "status": "active",
        "isLowStock": False,
        "createdBy": home.admin.member_id,
        "createdAt": item["createdAt"],
        "updatedAt": item["createdAt"],
        "version": 1,
        "entityType": "InventoryItem",
    }
    assert await get_item(home.admin, item) == item


async def test_defaults_match_openapi(home: Home) -> None:
    description = (await home.admin.get("/openapi.json")).json()
    fields = description["components"]["schemas"]["NewItem"]["properties"]
    promised = {name: field["default"] for name, field in fields.items() if "default" in field}
    item = await add_item(home.admin)
    assert promised.keys() == {"quantity", "threshold"}
    assert {name: item[name] for name in promised} == promised


async def test_all_fields_are_stored(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    market = await add_place(home.admin, "stores", "Market")
    corner = await add_place(home.admin, "stores", "Corner shop")
    said = {
        "name": "Rice",
        "quantity": 3,
        "threshold": 5,
        "locationId": pantry["locationId"],
        "preferredStoreId": market["storeId"],
        "alternateStoreIds": [corner["storeId"]],
        "unit": "bags",
        "notes": "The brown one",
        "picture": "🍚",
        "barcodes": ["4006381333931", "96385074"],
    }
    item = await add_item(home.admin, **said)
    assert item == item | said | {"isLowStock": True}
    assert await get_item(home.admin, item) == item


async def test_null_equals_missing_field(home: Home) -> None:
    fields = (
        "quantity",
        "threshold",
        "locationId",
        "alternateStoreIds",
        "unit",
        "notes",
        "picture",
        "barcodes",
    )
    item = await add_item(home.admin, **dict.fromkeys(fields))
    assert (item["quantity"], item["threshold"]) == (0, 0)
    assert (item["alternateStoreIds"], item["barcodes"]) == ([], [])


async def test_repeated_store_is_stored_once(home: Home) -> None:
    market, corner = [await add_place(home.admin, "stores", name) for name in ("Market", "Corner")]
    named = [corner["storeId"], market["storeId"].upper(), corner["storeId"]]
    item = await add_item(home.admin, preferredStoreId=market["storeId"], alternateStoreIds=named)
    assert item["alternateStoreIds"] == [corner["storeId"], market["storeId"]]


async def test_largest_quantity_has_ten_digits(home: Home) -> None:
    item = await add_item(home.admin, quantity=MOST, threshold=MOST)
    assert (item["quantity"], item["threshold"], item["isLowStock"]) == (MOST, MOST, False)


INVISIBLE = ["\u200b", "\u2060 \ufeff", "\u3164", "\ufe0f", "\u202e"]
NAME = "Name must be 1-100 characters"
QUANTITY = "Quantity must be a non-negative integer"
THRESHOLD = "Threshold must be a non-negative integer"
STORES = "Alternate stores must be a list of up to 20 IDs"


WRONG: dict[str, tuple[str, list[Any]]] = {
    "name": (NAME, ["", "  ", "x" * 101, 5, True, ["Rice"], None, *INVISIBLE]),
    "quantity": (QUANTITY, [-1, MOST + 1, "3", True, 1.5, 3.0, []]),
    "threshold": (THRESHOLD, [-1, MOST + 1, "3", True, 1.5, {}]),
    "locationId": ("Invalid location ID format", ["pantry", "", 5]),
    "preferredStoreId": ("Invalid store ID format", ["x", "", 5, []]),
    "alternateStoreIds": (STORES, ["x", 5, {}, [NOBODYS] * 21]),
    "unit": ("Unit must be 50 characters or less", ["x" * 51, 5]),
    "notes": ("Notes must be 500 characters or less", ["x" * 501, 5]),
    "picture": (
        "Picture must be one emoji",
        ["", " ", "rice", "🍚🍚", "🍚 rice", "1", "🏽", 5, []],
    ),
    "barcodes": ("Barcodes must be a list of up to 10", ["96385074", 5, {}, ["96385074"] * 11]),
    "status": ("There’s no such field.", ["archived"]),
    "createdBy": ("There’s no such field.", [NOBODYS]),
    "itemId": ("There’s no such field.", [NOBODYS]),
    "version": ("There’s no such field.", [1]),
}


async def test_blank_unit_is_omitted(home: Home) -> None:
    item = await add_item(home.admin, name="Rice", unit="  ")
    assert item["unit"] is None
    kept = await add_item(home.admin, name="Peas", unit=" bags ")
    asked = {"unit": "", "version": kept["version"]}
    changed = await home.admin.patch(f"/items/{kept['itemId']}", asked)
    assert (kept["unit"], changed.json()["unit"]) == ("bags", None)


async def test_blank_notes_are_accepted(home: Home) -> None:
    item = await add_item(home.admin, name="Rice", notes="  ")
    asked = {"notes": "", "version": item["version"]}
    changed = await home.admin.patch(f"/items/{item['itemId']}", asked)
    assert (changed.status_code, item["notes"], changed.json()["notes"]) == (200, "", "")


async def test_name_accepts_combined_emoji(home: Home) -> None:
    of_tomorrow = "\U0001faea"
    for name in ("\U0001f468\u200d\U0001f469\u200d\U0001f467", of_tomorrow):
        assert (await add_item(home.admin, name=name))["name"] == name


@pytest.mark.parametrize("picture", ["🍚", "❤️", "👨‍👩‍👧‍👦", "👩🏿‍🚒", "🇸🇪", "1️⃣"])
async def test_picture_accepts_any_single_emoji(home: Home, picture: str) -> None:
    item = await add_item(home.admin, name="Rice", picture=f" {picture} ")
    assert item["picture"] == picture
    assert await get_item(home.admin, item) == item


async def test_lone_surrogate_is_reported_for_its_field(home: Home) -> None:
    answer = await home.admin.client.post(
        "/api/v1/items",
        content=b'{"name": "Rice", "notes": "a \\ud800 b"}',
        headers={"Content-Type": "application/json"},
    )
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"] == [
        {"field": "notes", "message": "Notes must be 500 characters or less"}
    ]


@pytest.mark.parametrize("field", WRONG)
async def test_invalid_value_is_reported_for_its_field(home: Home, field: str) -> None:
    message, values = WRONG[field]
    for value in values:
        answer = await home.admin.post("/items", {"name": "Rice"} | {field: value})
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == [{"field": field, "message": message}]


async def test_all_invalid_fields_are_reported_together(home: Home) -> None:
    body = {
        "quantity": -1,
        "threshold": "3",
        "locationId": "x",
        "alternateStoreIds": [NOBODYS, "x", 5],
        "colour": "white",
    }
    answer = await home.admin.post("/items", body)
    assert problem_of(answer) == (400, "validation")
    assert {error["field"]: error["message"] for error in answer.json()["errors"]} == {
        "name": NAME,
        "quantity": QUANTITY,
        "threshold": THRESHOLD,
        "locationId": "Invalid location ID format",
        "alternateStoreIds.1": "Invalid store ID format",
        "alternateStoreIds.2": "Invalid store ID format",
        "colour": "There’s no such field.",
    }


@pytest.mark.parametrize("body", [[], "Rice", 5, None])
async def test_body_that_is_no_object_is_refused(home: Home, body: Any) -> None:
    assert problem_of(await home.admin.post("/items", body)) == (400, "validation")


async def test_unknown_place_returns_404(home: Home, neighbour: Person) -> None:
    theirs = {
        "locationId": (await add_place(neighbour, "locations", "Pantry"))["locationId"],
        "storeId": (await add_place(neighbour, "stores", "Market"))["storeId"],
    }
    for location_id, store_id in ((NOBODYS, NOBODYS), (theirs["locationId"], theirs["storeId"])):
        for body in (
            {"locationId": location_id},
            {"preferredStoreId": store_id},
            {"alternateStoreIds": [store_id]},
        ):
            answer = await home.admin.post("/items", {"name": "Rice"} | body)
            assert problem_of(answer) == (404, "not_found")
            assert answer.json()["detail"] == "There’s no such place."
    assert await get_all_pages(home.admin, "/items", 100) == []


async def test_location_id_is_not_accepted_as_store(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    body = {"name": "Rice", "locationId": pantry["locationId"]}
    for field, value in (
        ("preferredStoreId", pantry["locationId"]),
        ("alternateStoreIds", [pantry["locationId"]]),
    ):
        answer = await home.admin.post("/items", body | {field: value})
        assert problem_of(answer) == (404, "not_found")


async def test_two_items_may_share_a_name(home: Home) -> None:
    one, other = await add_item(home.admin), await add_item(home.admin)
    assert one["itemId"] != other["itemId"]


async def test_repeated_request_adds_one_item(home: Home) -> None:
    answers = await asyncio.gather(
        *(home.admin.post("/items", {"name": "Rice", "threshold": 1}, key="k") for _ in range(5))
    )
    answers.append(await home.admin.post("/items", {"name": "Rice", "threshold": 1}, key="k"))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert await get_all_pages(home.admin, "/items", 100) == [answers[0].json()]
    assert len(await get_all_pages(home.admin, "/notifications", 100)) == 1
    other = await home.admin.post("/items", {"name": "Beans"}, key="k")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_refused_request_can_be_repeated_with_same_key(home: Home) -> None:
    body = {"name": "Rice", "locationId": NOBODYS}
    for _ in range(2):
        assert problem_of(await home.admin.post("/items", body, key="k")) == (404, "not_found")
    assert (await home.admin.post("/items", {"name": "Rice"}, key="k")).status_code == 201


async def test_changes_reach_listeners(home: Home) -> None:
    item: Shown = await add_item(home.admin)
    told = await changes_since(home.running.db, home.family_id, None)
    assert ("InventoryItem", item["itemId"], 1) in [(c.type, c.id, c.version) for c in told]
