"""Test that entries are marked purchased and pending."""

from datetime import datetime
from typing import Any

from homeshelf.shopping.store import key_of, remove_if_pending
from tests.api_client import (
    Shown,
    add_entry,
    add_purchased_entry,
    entry_path,
    get_changes,
    get_entry,
    get_item,
    get_pending_entry_ids,
    mark_entry,
    nothing_changes,
    put_away,
    set_archived,
)
from tests.home import Home
from tests.moment import Moment
from tests.running import problem_of

A_WEEK = 604_800
WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"status": "pending"}, ["version"]),
    ({"version": 1}, ["status"]),
    ({"status": "bought", "version": 1}, ["status"]),
    ({"status": None, "version": 0}, ["status", "version"]),
    ({"status": "purchased", "version": 1, "name": "x"}, ["name"]),
]
MESSAGES = {
    "status": "Status must be 'pending' or 'purchased'",
    "version": "Version must be a positive integer",
    "name": "There’s no such field.",
}


async def test_ticked_entry_expires_in_a_week_and_changes_no_stock(home: Home, milk: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"], quantity=3)
    done = await mark_entry(home.admin, entry, "purchased")
    seconds = int(datetime.fromisoformat(done["updatedAt"]).timestamp())
    assert done == entry | {
        "status": "purchased",
        "version": 2,
        "ttl": seconds + A_WEEK,
        "updatedAt": done["updatedAt"],
    }
    assert done["updatedAt"] > entry["updatedAt"]
    assert await get_entry(home.admin, entry) == done
    assert await get_item(home.admin, milk) == milk
    assert await get_pending_entry_ids(home, milk) == []
    assert ("ShoppingListItem", entry["shoppingItemId"], 2) in await get_changes(home)


async def test_expiry_matches_documented_example(home: Home, moment: Moment) -> None:
    moment.move("2025-12-10T14:00:00Z")
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    assert (await add_purchased_entry(home.admin, name="Milk"))["ttl"] == 1_765_980_000


async def test_unticked_entry_does_not_expire(home: Home, milk: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    back = await mark_entry(home.admin, await mark_entry(home.admin, entry, "purchased"), "pending")
    assert back == entry | {"version": 3, "updatedAt": back["updatedAt"]}
    assert await get_pending_entry_ids(home, milk) == [entry["shoppingItemId"]]


async def test_same_status_changes_no_version(home: Home, milk: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    async with nothing_changes(home):
        assert await mark_entry(home.admin, entry, "pending") == entry
    done = await mark_entry(home.admin, entry, "purchased")
    async with nothing_changes(home):
        assert await mark_entry(home.admin, done, "purchased") == done
    assert [
        change[2] for change in await get_changes(home) if change[1] == entry["shoppingItemId"]
    ] == [
        1,
        2,
    ]


async def test_outdated_version_returns_409_with_current_entry(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    done = await mark_entry(home.admin, entry, "purchased")
    for status in ("pending", "purchased"):
        body = {"status": status, "version": 1}
        answer = await home.admin.patch(entry_path(entry, "/status"), body)
        assert problem_of(answer) == (409, "version_conflict")
        assert answer.json()["current"] == done


async def test_invalid_request_names_each_wrong_field(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    async with nothing_changes(home):
        for body, fields in WRONG:
            answer = await home.admin.patch(entry_path(entry, "/status"), body)
            assert problem_of(answer) == (400, "validation"), body
            errors = {error["field"]: error["message"] for error in answer.json()["errors"]}
            assert errors == {field: MESSAGES[field] for field in fields}


async def test_repeated_tick_replays_response(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    body = {"status": "purchased", "version": 1}
    answers = [
        await home.admin.patch(entry_path(entry, "/status"), body, key="tick") for _ in range(3)
    ]
    assert [answer.json()["version"] for answer in answers] == [2, 2, 2]


async def test_repeated_request_without_change_replays_response(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    sent = (("/status", {"status": "pending", "version": 1}), ("", {"name": "Cake", "version": 1}))
    for path, body in sent:
        await home.admin.patch(entry_path(entry, path), body, key="k")
    await mark_entry(home.admin, entry, "purchased")
    for path, body in sent:
        again = await home.admin.patch(entry_path(entry, path), body, key="k")
        assert (again.status_code, again.json()) == (200, entry)


async def test_entry_of_archived_item_can_be_ticked(home: Home, milk: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    await set_archived(home.admin, milk, "archive")
    done = await mark_entry(home.admin, entry, "purchased")
    assert done["itemId"] == milk["itemId"]
    await mark_entry(home.admin, done, "pending")
    assert await get_pending_entry_ids(home, milk) == [entry["shoppingItemId"]]


async def test_untick_of_put_away_entry_keeps_stock(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    away, item = await put_away(home.admin, entry)
    back = await mark_entry(home.admin, away, "pending")
    assert (back["putAwayAt"], back["ttl"]) == (None, None)
    assert await get_item(home.admin, milk) == item
    again = await mark_entry(home.admin, back, "purchased")
    _, item = await put_away(home.admin, again)
    assert item["quantity"] == 1 + 4 + 4


async def test_deleted_entry_returns_404(home: Home, milk: Shown) -> None:
    for entry in (
        await add_entry(home.admin, itemId=milk["itemId"]),
        await add_purchased_entry(home.admin, itemId=milk["itemId"], force=True),
        await add_entry(home.admin, name="Cake"),
    ):
        assert (await home.admin.delete(entry_path(entry))).status_code == 204
        assert problem_of(await home.admin.get(entry_path(entry))) == (404, "not_found")
        assert problem_of(await home.admin.delete(entry_path(entry))) == (404, "not_found")
        assert ("ShoppingListItem", entry["shoppingItemId"], None) in await get_changes(home)
    assert await get_pending_entry_ids(home, milk) == []


async def test_remove_if_pending_keeps_purchased_entry(home: Home) -> None:
    waits, done = (
        await add_entry(home.admin, name="Milk"),
        await add_purchased_entry(home.admin, name="Rice"),
    )
    for entry in (waits, done, waits):
        await remove_if_pending(home.running.db, key_of(home.family_id, entry["shoppingItemId"]))
    left = (await home.admin.get("/shopping-list")).json()["items"]
    assert left == [done]
