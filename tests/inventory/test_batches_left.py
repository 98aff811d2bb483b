"""Repeated batch requests, and items whose creation a process left unfinished."""

import asyncio
from dataclasses import replace

import httpx
import pytest

from homeshelf import clock
from homeshelf.coordination.todos import run_or_postpone
from homeshelf.families.memberships import delete_family
from homeshelf.inventory import batches
from homeshelf.inventory.batches import PromisedItems, promised_items
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.places.model import StorageLocation
from tests.api_client import add_place, edit_item, get_all_pages, wait_until
from tests.database_hooks import with_hook
from tests.databases import Opener
from tests.home import Home
from tests.inventory.batching import (
    add_all,
    all_items,
    barcode_holders,
    is_finished,
    item_bodies,
    pending_batches,
    promise_items,
    with_ids,
)
from tests.running import problem_of

MANY = 100


async def test_replay_returns_same_response(home: Home) -> None:
    """A response with a hundred full items is too large to store."""
    given = {"notes": "ö" * 500, "unit": "å" * 50, "threshold": 50}
    body = {"items": with_ids(item_bodies(MANY, **given))}
    first = await home.admin.post("/items/batch", body, key="k")
    assert first.status_code == 201
    assert len(first.content) > 100_000
    again = await home.admin.post("/items/batch", body, key="k")
    assert (again.status_code, again.text) == (201, first.text)
    assert [item["itemId"] for item in again.json()["items"]] == [
        item["itemId"] for item in body["items"]
    ]
    assert len(await all_items(home)) == MANY
    assert len(await get_all_pages(home.admin, "/notifications", 100)) == 50
    other = await home.admin.post("/items/batch", {"items": item_bodies(1)}, key="k")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_concurrent_repeats_create_items_once(home: Home) -> None:
    for body in ({"items": item_bodies(60)}, {"items": with_ids(item_bodies(60, barcodes=[]))}):
        before = len(await all_items(home))
        answers = await asyncio.gather(
            *(home.admin.post("/items/batch", body, key=str(before)) for _ in range(4))
        )
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.text for answer in answers}) == 1
        assert len(await all_items(home)) == before + 60


async def test_replay_shows_current_items(home: Home) -> None:
    body = {"items": item_bodies(3)}
    one, two, three = await add_all(home.admin, body["items"], key="k")
    renamed = await edit_item(home.admin, three, name="Wild rice")
    assert (await home.admin.delete(f"/items/{two['itemId']}")).status_code == 204
    again = await home.admin.post("/items/batch", body, key="k")
    assert (again.status_code, again.json()) == (201, {"items": [one, renamed]})
    assert len(await all_items(home)) == 2


async def test_replay_waits_for_pending_items(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    db, body = home.running.db, {"items": item_bodies(3)}
    made = await add_all(home.admin, body["items"], key="k")
    (last,) = await promise_items(home, 1)

    async def repeat() -> httpx.Response:
        return await home.admin.post("/items/batch", body, key="k")

    async def store_promise(*item_ids: str) -> None:
        await db.change(
            PromisedItems.key(family_id=home.family_id),
            lambda old: old.changed(item_ids=item_ids, version=old.version + 1),
        )

    assert (await repeat()).json()["items"] == made, "others are not waited for"
    await store_promise(last.item_id, made[2]["itemId"])
    with monkeypatch.context() as patch:
        patch.setattr(batches, "WAIT_SECONDS", 0.1)
        answer = await repeat()
        assert problem_of(answer) == (503, "unavailable")
        assert answer.headers["retry-after"] == "2"
    again = asyncio.create_task(repeat())
    await asyncio.wait([again], timeout=0.1)
    assert not again.done()
    await store_promise(last.item_id)
    assert (await again).json()["items"] == made


async def test_todo_run_twice_creates_items_once(home: Home, open_another: Opener) -> None:
    new = await promise_items(home, 60, threshold=1)
    elsewhere = open_another()
    every = await pending_batches(home.running.db)
    assert sorted(len(left.about["items"]) for left in every) == [10, 25, 25]
    await asyncio.gather(
        *(batches.make_items(db, left) for left in every for db in (home.running.db, elsewhere))
    )
    for left in every:
        await batches.make_items(home.running.db, left)
    made = await all_items(home)
    assert {item["itemId"] for item in made} == {item.item_id for item in new}
    assert len(await get_all_pages(home.admin, "/notifications", 100)) == 60
    for item in made[:3]:
        assert len(await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)) == 1


async def test_deleted_item_is_not_created_again(home: Home) -> None:
    """The process ended after it created the items and before it deleted the to-do."""
    one, two = await promise_items(home, 2)
    (left,) = await pending_batches(home.running.db)
    await batches.make_items(home.running.db, left)
    assert (await home.admin.delete(f"/items/{one.item_id}")).status_code == 204
    assert len(await pending_batches(home.running.db)) == 1
    await batches.finish_todos(home.running.db, [left])
    assert [item["itemId"] for item in await all_items(home)] == [two.item_id]


async def test_place_deleted_before_creation_is_omitted(home: Home) -> None:
    pantry, cellar = [await add_place(home.admin, "locations", n) for n in ("Pantry", "Cellar")]
    market, corner = [await add_place(home.admin, "stores", n) for n in ("Market", "Corner")]
    ids = {
        "preferred_store_id": market["storeId"],
        "alternate_store_ids": [corner["storeId"], market["storeId"]],
    }
    given = [ids | {"location_id": each["locationId"]} for each in (pantry, cellar)]
    new = [
        new_item(home.family_id, home.admin.member_id, {"name": f"Thing {n}", **given[n % 2]})
        for n in range(10)
    ]
    left = await batches.promise_items(home.running.db, home.family_id, new, [], ())
    for path in (f"/locations/{pantry['locationId']}", f"/stores/{market['storeId']}"):
        assert (await home.admin.delete(path)).status_code == 204
    await batches.finish_todos(home.running.db, left)
    made = await all_items(home)
    assert len(made) == 10
    for item in made:
        place = None if int(item["name"].split()[1]) % 2 == 0 else cellar["locationId"]
        assert item["locationId"] == place
        assert item["preferredStoreId"] is None
        assert item["alternateStoreIds"] == [corner["storeId"]]
    assert problem_of(await home.admin.delete(f"/stores/{corner['storeId']}")) == (409, "in_use")


async def test_creation_waits_for_place_being_deleted(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    await promise_items(home, 2, location_id=pantry["locationId"])
    key = StorageLocation.key_for(home.family_id, pantry["locationId"])
    db = home.running.db
    await db.change(key, lambda old: old.changed(closed_at=clock.timestamp()))
    (left,) = await pending_batches(db)
    making = asyncio.create_task(batches.finish_todos(db, [left]))
    await asyncio.wait([making], timeout=0.1)
    assert await all_items(home) == []
    await db.change(key, lambda old: old.changed(closed_at=None))
    await making
    assert [item["locationId"] for item in await all_items(home)] == [pantry["locationId"]] * 2


async def test_barcode_of_promised_item_is_in_use(home: Home) -> None:
    new = new_item(home.family_id, home.admin.member_id, {"name": "Rice", "barcodes": ["96385074"]})
    left = await batches.promise_items(home.running.db, home.family_id, [new], [], ())
    path = "/items/by-barcode/96385074"
    assert problem_of(await home.admin.get(path)) == (404, "not_found")
    late = asyncio.create_task(
        home.admin.post("/items", {"name": "Beans", "barcodes": ["96385074"]})
    )
    await asyncio.wait([late], timeout=0.05)
    await batches.finish_todos(home.running.db, left)
    answer = await late
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == (await home.admin.get(path)).json()


async def test_worker_creates_items_after_crash(home: Home) -> None:
    await promise_items(home, 30)

    async def is_done() -> bool:
        return await pending_batches(home.running.db) == []

    await wait_until(is_done)
    assert len(await all_items(home)) == 30
    assert await is_finished(home)


async def test_deleted_family_gets_no_promised_items(home: Home) -> None:
    db = home.running.db
    (item,) = await promise_items(home, 1, barcodes=["96385074"])
    left = await pending_batches(db)
    answer = await home.admin.delete("/me", {"password": home.admin.password})
    assert answer.status_code == 204
    for each in left:
        assert await run_or_postpone(db, home.running.todos, each)
    assert await db.get(item.own_key()) is None
    assert await barcode_holders(home) == {}
    assert await db.all(InventoryItem.where(family_id=home.family_id).up_to_date()) == []
    assert await promised_items(db, home.family_id) is None


@pytest.mark.parametrize("looked", range(1, 9))
async def test_item_created_during_family_deletion_is_deleted(home: Home, looked: int) -> None:
    """The item is created at each of the first reads of the deletion."""
    db, times = home.running.db, looked
    await promise_items(home, 1)
    (left,) = await pending_batches(db)

    async def make_it(moment: str, operation: str) -> None:
        nonlocal times
        if (moment, operation) == ("after", "query"):
            times -= 1
            if times == 0:
                await batches.make_items(db, left)

    services = home.running.services
    await delete_family(replace(services, db=with_hook(db, make_it)), home.family_id)
    assert times <= 0
    assert await db.all(InventoryItem.where(family_id=home.family_id).up_to_date()) == []
