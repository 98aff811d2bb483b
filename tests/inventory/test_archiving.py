"""Archiving, unarchiving and removing items."""

import asyncio
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import changes_since
from homeshelf.inventory.model import QuantityChange
from homeshelf.inventory.store import history_of, key_of
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import tags_of_item
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    adjust,
    get_all_pages,
    get_item,
    get_notices,
    get_open_notice,
    set_archived,
    wait_until,
)
from tests.costs import count_operations
from tests.home import Home
from tests.queues import todos_of
from tests.records import make_record
from tests.running import problem_of


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1, threshold=2)


async def test_archived_item_leaves_list_until_unarchived(home: Home, rice: Shown) -> None:
    archived = await set_archived(home.admin, rice, "archive")
    assert archived == rice | {
        "status": "archived",
        "version": 2,
        "updatedAt": archived["updatedAt"],
    }
    assert await get_all_pages(home.admin, "/items", 100) == []
    assert await get_all_pages(home.admin, "/items?status=archived", 100) == [archived]
    back = await set_archived(home.admin, rice, "unarchive")
    assert (back["status"], back["version"]) == ("active", 3)
    assert await get_all_pages(home.admin, "/items", 100) == [back]


@pytest.mark.parametrize("verb", ["archive", "unarchive"])
async def test_second_archiving_changes_nothing(home: Home, rice: Shown, verb: str) -> None:
    once = await set_archived(home.admin, rice, verb)
    with count_operations(home.running.db) as spent:
        assert await set_archived(home.admin, rice, verb) == once
    assert spent["transact"] == 0


@pytest.mark.parametrize(("body", "status"), [(None, 200), ({}, 200), ({"version": 1}, 400)])
async def test_archiving_takes_no_body(home: Home, rice: Shown, body: Any, status: int) -> None:
    for verb in ("archive", "unarchive"):
        answer = await home.admin.post(f"/items/{rice['itemId']}/{verb}", body)
        assert answer.status_code == status


async def test_repeated_request_returns_first_response(home: Home, rice: Shown) -> None:
    path = f"/items/{rice['itemId']}"
    first = (await home.admin.post(f"{path}/archive", key="k")).json()
    await set_archived(home.admin, rice, "unarchive")
    assert (await home.admin.post(f"{path}/archive", key="k")).json() == first
    assert (await get_item(home.admin, rice))["status"] == "active"
    unchanged = (await home.admin.post(f"{path}/unarchive", key="k")).json()
    await set_archived(home.admin, rice, "archive")
    assert (await home.admin.post(f"{path}/unarchive", key="k")).json() == unchanged
    assert (await get_item(home.admin, rice))["status"] == "archived"


async def test_archiving_keeps_tags_and_history(home: Home, rice: Shown) -> None:
    tag = make_record(NFCUrl, family_id=home.family_id, item_id=rice["itemId"], url_id="u" * 22)
    await home.running.db.put(tag)
    await set_archived(home.admin, rice, "archive")
    query = tags_of_item(home.family_id, rice["itemId"])
    assert [found.is_active for found in await home.running.db.all(query)] == [True]
    history = await get_all_pages(home.admin, f"/items/{rice['itemId']}/history", 100)
    assert [change["source"] for change in history] == ["created"]


async def test_removed_item_returns_404(home: Home, rice: Shown) -> None:
    path = f"/items/{rice['itemId']}"
    assert (await home.admin.delete(path)).status_code == 204
    assert problem_of(await home.admin.get(path)) == (404, "not_found")
    assert problem_of(await home.admin.get(f"{path}/history")) == (404, "not_found")
    assert problem_of(await home.admin.delete(path)) == (404, "not_found")
    assert await get_all_pages(home.admin, "/items?status=all", 100) == []


async def test_archived_item_can_be_removed(home: Home, rice: Shown) -> None:
    await set_archived(home.admin, rice, "archive")
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    assert await get_all_pages(home.admin, "/items?status=all", 100) == []


async def test_removed_item_leaves_no_dangling_records(home: Home, rice: Shown) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    beans = await add_item(home.admin, name="Beans", locationId=pantry["locationId"])
    tag = make_record(NFCUrl, family_id=home.family_id, item_id=beans["itemId"], url_id="u" * 22)
    await home.running.db.put(tag)
    await adjust(home.admin, rice, -1)
    for item in (rice, beans):
        await home.admin.delete(f"/items/{item['itemId']}")
        assert await get_open_notice(home, item) is None
        assert await home.running.db.all(history_of(home.family_id, item["itemId"])) == []
    assert [each["status"] for each in await get_notices(home.admin, rice)] == ["resolved"]
    assert (await home.admin.delete(f"/locations/{pantry['locationId']}")).status_code == 204
    (dead,) = await home.running.db.all(tags_of_item(home.family_id, beans["itemId"]))
    assert (dead.is_active, dead.rotated_by) == (False, home.admin.member_id)
    assert dead.rotated_at is not None
    left = await todos_of(home.running.db)
    assert "item_removed" not in [todo.kind for todo in left]


async def test_removal_deletes_history_longer_than_a_batch(home: Home, rice: Shown) -> None:
    records = [
        make_record(
            QuantityChange,
            family_id=home.family_id,
            item_id=rice["itemId"],
            at=clock.timestamp(),
            id=f"{number}",
            source="adjust",
            ttl=clock.seconds() + 1000,
        )
        for number in range(700)
    ]
    await home.running.db.batch([record.put() for record in records])
    await home.admin.delete(f"/items/{rice['itemId']}")

    async def history_is_gone() -> bool:
        return not await home.running.db.all(history_of(home.family_id, rice["itemId"]))

    await wait_until(history_is_gone)


async def test_worker_deletes_history_after_crash_in_removal(
    home: Home, rice: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    with pytest.raises(asyncio.CancelledError):
        await home.admin.delete(f"/items/{rice['itemId']}")
    assert await home.running.db.get(key_of(home.family_id, rice["itemId"])) is None

    async def history_is_gone() -> bool:
        return not await home.running.db.all(history_of(home.family_id, rice["itemId"]))

    await wait_until(history_is_gone)


async def test_changes_reach_listeners(home: Home, rice: Shown) -> None:
    await home.admin.delete(f"/items/{rice['itemId']}")
    told = await changes_since(home.running.db, home.family_id, None)
    assert [each.version for each in told if each.id == rice["itemId"]] == [1, None]
