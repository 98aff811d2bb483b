"""Batches whose ids or barcodes are in use or requested concurrently."""

from typing import Any

import pytest

from homeshelf.coordination.todos import todo
from homeshelf.errors import Duplicate
from homeshelf.inventory import batches
from homeshelf.inventory.model import InventoryItem, new_item
from tests.api_client import Shown, add_item, get_all_pages, get_item, nothing_changes
from tests.database_hooks import before_first_transaction, with_hook
from tests.databases import Opener
from tests.home import NOBODYS, Home
from tests.inventory.batching import (
    add_all,
    all_items,
    collect_statuses,
    is_finished,
    item_bodies,
    pending_batches,
    promise_items,
    with_ids,
)
from tests.running import Person, problem_of, running_app
from tests.taps.tags import make_tag

MANY = 100


async def test_barcode_in_use_refuses_whole_batch(home: Home) -> None:
    rice = await add_item(home.admin, barcodes=["036000291452"])
    asked = [*item_bodies(60), {"name": "Beans", "barcodes": ["96385074", "0036000291452"]}]
    async with nothing_changes(home):
        answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
        assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), rice)
    assert await is_finished(home)
    del asked[60]["barcodes"]
    assert len(await add_all(home.admin, asked, key="k")) == 61


async def test_id_in_use_refuses_whole_batch(home: Home) -> None:
    rice = await add_item(home.admin)
    archived = await add_item(home.admin, name="Beans")
    archived = (await home.admin.post(f"/items/{archived['itemId']}/archive")).json()
    for there in (rice, archived):
        asked = [*item_bodies(2, barcodes=[]), {"name": "Peas", "itemId": there["itemId"]}]
        async with nothing_changes(home):
            answer = await home.admin.post("/items/batch", {"items": asked})
            assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), there)
    assert await is_finished(home)


async def test_id_with_tags_is_in_use(home: Home) -> None:
    rice = await add_item(home.admin)
    await make_tag(home.admin, rice)
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    asked = [{"name": "Peas", "itemId": rice["itemId"]}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    assert "existing" not in answer.json()
    assert await all_items(home) == []


async def test_id_is_free_after_item_cleanup(home: Home) -> None:
    db = home.running.db
    rice = await add_item(home.admin)
    key = InventoryItem.key(family_id=home.family_id, item_id=rice["itemId"])
    kept = await db.get(key)
    assert kept is not None
    await db.write(kept.delete())  # and no more: as if the process had ended there
    asked = [{"name": "Peas", "quantity": 3, "itemId": rice["itemId"]}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    await home.running.todos["item_removed"](db, _removal_todo(rice))
    (peas,) = await add_all(home.admin, asked)
    await home.running.todos["item_removed"](db, _removal_todo(rice))
    history = await get_all_pages(home.admin, f"/items/{rice['itemId']}/history", 100)
    assert [each["quantity"] for each in history] == [3]
    assert await get_item(home.admin, rice) == peas


def _removal_todo(item: Shown) -> Any:
    about = {"familyId": item["familyId"], "itemId": item["itemId"], "by": None}
    return todo("item_removed", about)


async def test_same_id_in_another_family_is_allowed(home: Home, neighbour: Person) -> None:
    (ours,) = await add_all(home.admin, with_ids(item_bodies(1)))
    (theirs,) = await add_all(neighbour, [{"name": "Peas", "itemId": ours["itemId"]}])
    assert await get_item(home.admin, ours) == ours
    assert await get_item(neighbour, ours) == theirs


async def test_concurrent_batches_with_same_ids_create_one(home: Home) -> None:
    ids = [item["itemId"] for item in with_ids(item_bodies(MANY))]
    asked = [
        [{"name": f"Of {who}", "itemId": id_} for id_ in (ids if who % 2 else ids[::-1])]
        for who in range(4)
    ]
    found = await collect_statuses(
        [home.admin.post("/items/batch", {"items": each}) for each in asked]
    )
    assert found == [201, 409, 409, 409]
    made = await all_items(home)
    assert (len(made), len({item["name"] for item in made})) == (MANY, 1)
    assert await is_finished(home)


async def test_id_of_promised_item_is_in_use(home: Home) -> None:
    rice, _peas = await promise_items(home, 2)
    asked = [{"name": "Beans"}, {"name": "Oats", "itemId": rice.item_id}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    await batches.finish_todos(home.running.db, await pending_batches(home.running.db))
    assert {item["name"] for item in await all_items(home)} == {"Thing 0", "Thing 1"}


async def test_concurrent_batches_with_same_barcode_create_one(home: Home) -> None:
    asked = [[*item_bodies(30), {"name": "Rice", "barcodes": ["96385074"]}] for _ in range(3)]
    found = await collect_statuses(
        [home.admin.post("/items/batch", {"items": each}) for each in asked]
    )
    assert found == [201, 409, 409]
    assert len(await all_items(home)) == 31
    assert await is_finished(home)


async def test_concurrent_distinct_batches_are_all_created(
    home: Home, open_another: Opener
) -> None:
    async with running_app(open_another()) as elsewhere:
        ada = elsewhere.visitor()
        ada.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
        asked = [
            who.post("/items/batch", {"items": with_ids(item_bodies(20, threshold=10))})
            for who in (home.admin, ada, home.admin, ada)
        ]
        assert await collect_statuses(asked) == [201] * 4
    made = await all_items(home)
    assert len({item["itemId"] for item in made}) == 80
    assert len(await get_all_pages(home.admin, "/notifications", 100)) == 40
    assert await is_finished(home)


async def test_two_processes_create_same_ids_once(home: Home, open_another: Opener) -> None:
    async with running_app(open_another()) as elsewhere:
        ada = elsewhere.visitor()
        ada.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
        for _ in range(3):
            same = with_ids(item_bodies(3))
            asked = [
                who.post("/items/batch", {"items": [each | {"notes": note} for each in same]})
                for who, note in ((home.admin, "here"), (ada, "there"))
            ]
            assert await collect_statuses(asked) == [201, 409]
    made = await all_items(home)
    assert len(made) == 9
    assert await is_finished(home)


async def test_concurrent_batch_that_completes_is_detected(
    home: Home, open_another: Opener
) -> None:
    """Another process creates the same ids between our read and our write."""
    quicker = open_another()
    first, second = (
        [new_item(home.family_id, home.admin.member_id, {"name": name, "item_id": NOBODYS})]
        for name in ("Rice", "Beans")
    )
    await add_all(home.admin, item_bodies(1))  # so that there were batches before

    async def make_it() -> None:
        left = await batches.promise_items(quicker, home.family_id, first, [NOBODYS], ())
        await batches.finish_todos(quicker, left)

    slower = with_hook(open_another(), before_first_transaction(make_it))
    with pytest.raises(Duplicate) as refused:
        await batches.promise_items(slower, home.family_id, second, [NOBODYS], ())
    assert isinstance(refused.value.record, InventoryItem)
    assert refused.value.record.name == "Rice"
    assert await is_finished(home)
