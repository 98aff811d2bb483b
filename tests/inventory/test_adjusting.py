"""Adjustments of an item and their history."""

import asyncio
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.coordination.idempotency import stored_response
from homeshelf.inventory import store
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.inventory.store import history_of
from homeshelf.notices.store import unresolved_notices
from homeshelf.table import Database
from tests.api_client import (
    Shown,
    add_item,
    adjust,
    edit_item,
    get_all_pages,
    get_item,
    get_pages,
    set_archived,
)
from tests.costs import count_operations
from tests.home import Home
from tests.moment import Moment
from tests.records import make_record
from tests.running import problem_of

MOST = 9_999_999_999
TWO_YEARS = 2 * 365 * 24 * 3600


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=5)


async def get_history(home: Home, item: Shown) -> list[Shown]:
    return await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)


async def test_adjustment_returns_item_and_applied_delta(home: Home, rice: Shown) -> None:
    for delta, quantity, version in ((-2, 3, 2), (4, 7, 3)):
        adjusted = await adjust(home.admin, rice, delta)
        item = await get_item(home.admin, rice)
        assert adjusted == {"item": item, "applied": delta}
        assert (item["quantity"], item["version"]) == (quantity, version)
        assert item["updatedAt"] > rice["updatedAt"]
        assert item["createdAt"] == rice["createdAt"]


async def test_quantity_never_drops_below_zero(home: Home, rice: Shown) -> None:
    adjusted = await adjust(home.admin, rice, -1_000_000)
    assert (adjusted["item"]["quantity"], adjusted["applied"]) == (0, -5)
    assert [change["delta"] for change in await get_history(home, rice)] == [-5, 5]


async def test_quantity_never_exceeds_key_limit(home: Home) -> None:
    sand = await add_item(home.admin, name="Sand", quantity=MOST - 3)
    adjusted = await adjust(home.admin, sand, 10)
    assert (adjusted["item"]["quantity"], adjusted["applied"]) == (MOST, 3)
    adjusted = await adjust(home.admin, sand, 1)
    assert (adjusted["item"]["quantity"], adjusted["applied"]) == (MOST, 0)


async def test_adjustment_without_effect_writes_nothing(home: Home) -> None:
    empty = await add_item(home.admin, name="Salt")
    with count_operations(home.running.db) as spent:
        adjusted = await adjust(home.admin, empty, -1)
    assert adjusted == {"item": empty, "applied": 0}
    assert spent["transact"] == spent["put"] == 0
    assert len(await get_history(home, empty)) == 1


async def test_repeated_adjustment_without_effect_stays_without_effect(home: Home) -> None:
    empty = await add_item(home.admin, name="Salt")
    first = await adjust(home.admin, empty, -1, key="k")
    await adjust(home.admin, empty, 7)
    assert await adjust(home.admin, empty, -1, key="k") == first
    assert (await get_item(home.admin, empty))["quantity"] == 7


async def test_repeated_adjustment_is_applied_once(home: Home, rice: Shown) -> None:
    answers = await asyncio.gather(*(adjust(home.admin, rice, -1, key="k") for _ in range(5)))
    answers.append(await adjust(home.admin, rice, -1, key="k"))
    assert all(answer == answers[0] for answer in answers)
    assert (await get_item(home.admin, rice))["quantity"] == 4
    assert len(await get_history(home, rice)) == 2
    path = f"/items/{rice['itemId']}/adjust"
    other = await home.admin.post(path, {"delta": -2}, key="k")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_idempotency_key_belongs_to_one_item(home: Home, rice: Shown) -> None:
    beans = await add_item(home.admin, name="Beans", quantity=5)
    for item in (rice, beans):
        assert (await adjust(home.admin, item, -1, key="k"))["item"]["name"] == item["name"]


@pytest.mark.parametrize(
    "delta", [0, 1_000_001, -1_000_001, "1", True, 1.5, 1.0, None, [1], 10**30]
)
async def test_delta_must_be_an_integer_within_limits(home: Home, rice: Shown, delta: Any) -> None:
    answer = await home.admin.post(f"/items/{rice['itemId']}/adjust", {"delta": delta})
    assert problem_of(answer) == (400, "validation")
    message = "Delta must be from -1,000,000 to 1,000,000, but not 0"
    assert answer.json()["errors"] == [{"field": "delta", "message": message}]
    assert (await get_item(home.admin, rice)) == rice


@pytest.mark.parametrize("body", [{}, {"delta": 1, "by": "me"}, [], "1"])
async def test_adjustment_accepts_only_delta(home: Home, rice: Shown, body: Any) -> None:
    answer = await home.admin.post(f"/items/{rice['itemId']}/adjust", body)
    assert problem_of(answer) == (400, "validation")


async def test_largest_delta_is_a_million(home: Home, rice: Shown) -> None:
    assert (await adjust(home.admin, rice, 1_000_000))["item"]["quantity"] == 1_000_005
    assert (await adjust(home.admin, rice, -1_000_000))["item"]["quantity"] == 5


async def test_archived_item_cannot_be_adjusted(home: Home, rice: Shown) -> None:
    archived = await set_archived(home.admin, rice, "archive")
    answer = await home.admin.post(f"/items/{rice['itemId']}/adjust", {"delta": 1})
    assert problem_of(answer) == (422, "item_unavailable")
    assert answer.json()["detail"] == "This item is archived."
    assert await get_item(home.admin, rice) == archived


async def test_history_lists_author_and_source_newest_first(home: Home, rice: Shown) -> None:
    bob = await home.with_member("bob", "admin")
    await adjust(bob, rice, -3)
    await adjust(home.admin, rice, 1)
    found = await get_history(home, rice)
    assert [(each["by"], each["source"], each["delta"], each["quantity"]) for each in found] == [
        (home.admin.member_id, "adjust", 1, 3),
        (bob.member_id, "adjust", -3, 2),
        (home.admin.member_id, "created", 5, 5),
    ]
    assert all(each.keys() == {"at", "by", "source", "delta", "quantity"} for each in found)
    assert found[0]["at"] == (await get_item(home.admin, rice))["updatedAt"]
    assert found[-1]["at"] == rice["createdAt"]


async def test_history_pages_are_full_and_of_one_item(home: Home, rice: Shown) -> None:
    beans = await add_item(home.admin, name="Beans", quantity=50)
    for _ in range(6):
        await adjust(home.admin, rice, 1)
        await adjust(home.admin, beans, -1)
    path = f"/items/{rice['itemId']}/history"
    quantities = [
        [each["quantity"] for each in page] async for page in get_pages(home.admin, path, 3)
    ]
    assert quantities == [[11, 10, 9], [8, 7, 6], [5]]


async def test_history_keeps_order_within_a_millisecond_and_when_clock_goes_back(
    home: Home, moment: Moment
) -> None:
    rice = await add_item(home.admin, quantity=50)
    for _ in range(20):
        await adjust(home.admin, rice, -1)
    moment.pass_by(-3600)
    for _ in range(5):
        await adjust(home.admin, rice, -1)
    found = await get_history(home, rice)
    assert [each["quantity"] for each in found] == list(range(25, 51))
    assert len({each["at"] for each in found}) == 26


async def test_history_expires_after_two_years(home: Home, moment: Moment) -> None:
    rice = await add_item(home.admin, quantity=1)
    moment.pass_by(24 * 3600)
    await adjust(home.admin, rice, -1)
    records = await home.running.db.all(history_of(home.family_id, rice["itemId"]))
    assert [record.ttl for record in records] == [
        moment.nanoseconds() // 10**9 + TWO_YEARS,
        moment.nanoseconds() // 10**9 + TWO_YEARS - 24 * 3600,
    ]


async def test_item_with_timestamps_in_seconds_has_history(home: Home) -> None:
    at = "2999-01-15T10:00:00Z"
    old = InventoryItem(
        item_id="6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        family_id=home.family_id,
        name="Rice",
        quantity=3,
        created_by=home.admin.member_id,
        created_at=at,
        updated_at=at,
    )
    await home.running.db.put(old)
    adjusted = await adjust(home.admin, {"itemId": old.item_id}, 1)
    assert adjusted["item"]["updatedAt"] == "2999-01-15T10:00:00.001Z"


async def test_edit_adds_no_history(home: Home, rice: Shown) -> None:
    await edit_item(home.admin, rice, name="Brown rice", threshold=9)
    await set_archived(home.admin, rice, "archive")
    assert len(await get_history(home, rice)) == 1


async def test_changes_reach_listeners(home: Home, rice: Shown) -> None:
    await adjust(home.admin, rice, -1)
    told = await changes_since(home.running.db, home.family_id, None)
    assert [each.version for each in told if each.id == rice["itemId"]] == [1, 2]


async def test_adjustment_with_history_and_notice_is_one_transaction(
    database: Database,
) -> None:
    rice = make_record(
        InventoryItem, quantity=5, threshold=5, updated_at="2025-01-01T00:00:00.000Z"
    )
    await database.put(rice)
    kept = stored_response("me", "POST", "/adjust", "k", b"", 200, "{}").put_once()
    unit = database.with_extra_writes(lambda _: (kept,))
    with count_operations(database) as spent:
        await store.adjust(unit, rice.own_key(), -1, "adjust", "m1")
    assert dict(spent) == {"get": 1, "transact": 1}
    assert len(await database.all(unresolved_notices(rice.family_id))) == 1


def test_item_queries_skip_history_records() -> None:
    key = QuantityChange.key(family_id="f", item_id="i", at="t", id="h")
    assert key.sort == "HISTORY#i#t#h"
