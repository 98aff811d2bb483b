"""Test that put away adds to the stock once, and can be undone."""

import asyncio

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    adjust,
    entry_path,
    get_changes,
    get_entry,
    get_item,
    get_item_history,
    get_open_notice,
    mark_entry,
    nothing_changes,
    put_away,
    set_archived,
    take_back,
)
from tests.home import Home
from tests.running import problem_of

MOST = 9_999_999_999


async def test_put_away_adds_quantity_and_resolves_notice(home: Home, milk: Shown) -> None:
    assert await get_open_notice(home, milk) is not None
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    away, item = await put_away(home.admin, entry)
    assert away["putAwayAt"] == away["updatedAt"] > entry["updatedAt"]
    changed = {name: away[name] for name in ("version", "putAwayAt", "updatedAt")}
    assert away == entry | changed | {"version": 3}
    assert (item["quantity"], item["version"], item["isLowStock"]) == (5, 2, False)
    assert await get_entry(home.admin, entry) == away
    assert await get_item(home.admin, milk) == item
    assert await get_item_history(home, milk) == [("put_away", 4, 5), ("created", 1, 1)]
    assert await get_open_notice(home, milk) is None
    changes = await get_changes(home)
    assert ("ShoppingListItem", entry["shoppingItemId"], 3) in changes
    assert ("InventoryItem", milk["itemId"], 2) in changes


async def test_put_away_quantity_defaults_to_entry_then_one(home: Home, milk: Shown) -> None:
    quantity = 1
    for wanted, said, came in ((None, None, 1), (3, None, 3), (3, 2, 2), (None, 7, 7)):
        entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=wanted)
        away, item = await put_away(home.admin, entry, quantity=said)
        quantity += came
        assert (item["quantity"], away["quantity"]) == (quantity, wanted)


async def test_undoing_put_away_removes_added_quantity(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    away, _ = await put_away(home.admin, entry, quantity=6)
    edited = await home.admin.patch(entry_path(away), {"quantity": 1, "version": 3})
    await adjust(home.admin, milk, 10)
    back, item = await take_back(home.admin, edited.json())
    assert (back["putAwayAt"], back["version"], back["status"]) == (None, 5, "purchased")
    assert item["quantity"] == 1 + 10
    assert (await get_item_history(home, milk))[0] == ("undo", -6, 11)
    assert await get_item(home.admin, milk) == item
    away, item = await put_away(home.admin, back)
    assert item["quantity"] == 1 + 10 + 1


async def test_undoing_put_away_stops_at_zero_and_opens_notice(home: Home, milk: Shown) -> None:
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, itemId=milk["itemId"]), quantity=5
    )
    assert await get_open_notice(home, milk) is None
    await adjust(home.admin, milk, -3)
    _, item = await take_back(home.admin, away)
    assert item["quantity"] == 0
    assert (await get_item_history(home, milk))[0] == ("undo", -3, 0)
    assert await get_open_notice(home, milk) is not None


async def test_undoing_put_away_of_empty_stock_changes_no_count(home: Home, milk: Shown) -> None:
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, itemId=milk["itemId"]), quantity=5
    )
    await adjust(home.admin, milk, -6)
    before = await get_item(home.admin, milk)
    back, item = await take_back(home.admin, away)
    assert item == before
    assert back["putAwayAt"] is None


async def test_undo_removes_only_the_quantity_that_fitted(home: Home) -> None:
    for room, left in ((3, MOST - 3), (0, MOST)):
        sand = await add_item(home.admin, name="Sand", quantity=MOST - room)
        away, item = await put_away(
            home.admin, await add_purchased_entry(home.admin, itemId=sand["itemId"], quantity=10)
        )
        assert item["quantity"] == MOST
        _, item = await take_back(home.admin, away)
        assert item["quantity"] == left


async def test_put_away_needs_an_active_item(home: Home, milk: Shown) -> None:
    cake = await add_purchased_entry(home.admin, name="Cake")
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, itemId=milk["itemId"])
    )
    await set_archived(home.admin, milk, "archive")
    async with nothing_changes(home):
        for each in (cake, entry):
            answer = await home.admin.post(entry_path(each, "/put-away"), {"version": 2})
            assert problem_of(answer) == (422, "item_unavailable")
            assert ("free text" in answer.json()["detail"]) is (each is cake)
        answer = await home.admin.delete(entry_path(away, "/put-away"), {"version": 3})
        assert problem_of(answer) == (422, "item_unavailable")
    assert (await home.admin.delete(f"/items/{milk['itemId']}")).status_code == 204
    version = (await get_entry(home.admin, entry))["version"]
    answer = await home.admin.post(entry_path(entry, "/put-away"), {"version": version})
    assert problem_of(answer) == (422, "item_unavailable")


async def test_put_away_requires_purchased_entry_once(home: Home, milk: Shown) -> None:
    pending = await add_entry(home.admin, itemId=milk["itemId"])
    done = await add_purchased_entry(home.admin, itemId=milk["itemId"], force=True)
    away, _ = await put_away(home.admin, done)
    async with nothing_changes(home):
        for method, entry in (
            ("POST", pending),
            ("DELETE", pending),
            ("POST", done),
            ("DELETE", done),
            ("POST", away),
        ):
            body = {"version": entry["version"]}
            answer = await home.admin.ask(method, entry_path(entry, "/put-away"), body)
            code = "version_conflict" if (method, entry) == ("DELETE", done) else "wrong_state"
            assert problem_of(answer) == (409, code)
            assert answer.json()["current"] == await get_entry(home.admin, entry)
    back, _ = await take_back(home.admin, away)
    async with nothing_changes(home):
        for version in (back["version"], back["version"] - 1):
            answer = await home.admin.delete(entry_path(back, "/put-away"), {"version": version})
            assert problem_of(answer) == (409, "wrong_state")


async def test_invalid_request_names_each_wrong_field(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    async with nothing_changes(home):
        for body, field in (
            ({}, "version"),
            ({"version": 2, "quantity": 0}, "quantity"),
            ({"version": 2, "quantity": "1"}, "quantity"),
            ({"version": 2, "name": "x"}, "name"),
        ):
            answer = await home.admin.post(entry_path(entry, "/put-away"), body)
            assert problem_of(answer) == (400, "validation")
            assert [error["field"] for error in answer.json()["errors"]] == [field]
        answer = await home.admin.delete(entry_path(entry, "/put-away"))
        assert problem_of(answer) == (400, "validation")


async def test_repeated_put_away_request_adds_quantity_once(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=2)
    answers = await asyncio.gather(
        *(
            home.admin.post(entry_path(entry, "/put-away"), {"version": 2}, key="a")
            for _ in range(4)
        )
    )
    assert [answer.json() for answer in answers] == [answers[0].json()] * 4
    assert answers[0].json()["item"]["quantity"] == 3
    assert (await get_item(home.admin, milk))["quantity"] == 3


async def test_one_of_eight_concurrent_put_aways_succeeds(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=2)
    for method, quantity in (("POST", 3), ("DELETE", 1)):
        body = {"version": (await get_entry(home.admin, entry))["version"]}
        answers = await asyncio.gather(
            *(home.admin.ask(method, entry_path(entry, "/put-away"), body) for _ in range(8))
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
        now = await get_entry(home.admin, entry)
        refused = [answer.json() for answer in answers if answer.status_code == 409]
        assert [each["current"] for each in refused] == [now] * 7
        assert (await get_item(home.admin, milk))["quantity"] == quantity


async def test_concurrent_put_aways_and_adjustments_all_count(home: Home, milk: Shown) -> None:
    await adjust(home.admin, milk, 99)
    entries = [
        await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=number, force=True)
        for number in range(1, 6)
    ]
    results = await asyncio.gather(
        *(put_away(home.admin, entry) for entry in entries),
        *(adjust(home.admin, milk, -1) for _ in range(10)),
    )
    assert (await get_item(home.admin, milk))["quantity"] == 100 + 15 - 10
    aways = [result[0] for result in results if isinstance(result, tuple)]
    await asyncio.gather(
        *(take_back(home.admin, away) for away in aways),
        *(adjust(home.admin, milk, -1) for _ in range(10)),
    )
    assert (await get_item(home.admin, milk))["quantity"] == 100 - 20
    moments = [each[1] for each in await get_item_history(home, milk) if each[0] == "undo"]
    assert sorted(moments) == [-5, -4, -3, -2, -1]


@pytest.mark.parametrize("first", ["tick", "put away"])
async def test_concurrent_untick_and_put_away_succeed_once(
    home: Home, milk: Shown, first: str
) -> None:
    """Exactly one of the two requests succeeds."""
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=2)
    tries = [
        home.admin.patch(entry_path(entry, "/status"), {"status": "pending", "version": 2}),
        home.admin.post(entry_path(entry, "/put-away"), {"version": 2}),
    ]
    answers = await asyncio.gather(*(tries if first == "tick" else tries[::-1]))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    now, item = await get_entry(home.admin, entry), await get_item(home.admin, milk)
    expected = ("pending", 1) if now["putAwayAt"] is None else ("purchased", 3)
    assert (now["status"], item["quantity"]) == expected
    if now["status"] == "pending":
        await mark_entry(home.admin, now, "purchased")
