"""Test that entries of a deleted item become free text."""

import asyncio
from functools import partial

import pytest

from homeshelf import clock
from homeshelf.coordination.todos import todo
from homeshelf.errors import VersionConflict
from homeshelf.inventory import store as inventory
from homeshelf.shopping import store
from homeshelf.shopping.entry_creation import build_entry
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.table import Database
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
    wait_until,
)
from tests.databases import Opener
from tests.home import Home
from tests.queues import do_what_is_due, todos_of

ENTRY_COUNT = 250


async def add_entries(
    db: Database, family_id: str, item_id: str, number: int
) -> list[ShoppingListItem]:
    """Store entries of an item, every third of them purchased."""
    at = clock.timestamp()
    given = {"item_id": item_id, "name": "Milk"}
    entries = [build_entry(family_id, "ada", given) for _ in range(number)]
    entries = [old.as_purchased(at) if n % 3 == 0 else old for n, old in enumerate(entries)]
    pending = tuple(each.shopping_item_id for each in entries if each.status == "pending")
    claim = PendingEntries(family_id=family_id, item_id=item_id, members=pending)
    await db.batch([each.put() for each in (*entries, claim)])
    return entries


async def test_deleted_item_unlinks_entries_and_keeps_other_fields(home: Home, milk: Shown) -> None:
    pending = await add_entry(home.admin, itemId=milk["itemId"], quantity=2, notes="x")
    done = await add_purchased_entry(home.admin, itemId=milk["itemId"], force=True)
    cake = await add_entry(home.admin, name="Cake")
    assert (await home.admin.delete(f"/items/{milk['itemId']}")).status_code == 204
    for old in (pending, done):
        new = await get_entry(home.admin, old)
        assert new["updatedAt"] > old["updatedAt"]
        changed = {"itemId": None, "version": old["version"] + 1, "updatedAt": new["updatedAt"]}
        assert new == old | changed
        assert ("ShoppingListItem", old["shoppingItemId"], new["version"]) in await get_changes(
            home
        )
    assert await get_entry(home.admin, cake) == cake
    assert await get_pending_entry_ids(home, milk) == []
    again = await mark_entry(home.admin, await get_entry(home.admin, pending), "purchased")
    assert (await mark_entry(home.admin, again, "pending"))["itemId"] is None


async def test_deleted_item_unlinks_any_number_of_entries(home: Home) -> None:
    """A worker finishes the work if it takes more than a second."""
    db = home.running.db
    milk, tea = [await add_item(home.admin, name=name) for name in ("Milk", "Tea")]
    entries = await add_entries(db, home.family_id, milk["itemId"], ENTRY_COUNT)
    others = await add_entries(db, home.family_id, tea["itemId"], 3)
    assert (await home.admin.delete(f"/items/{milk['itemId']}")).status_code == 204
    await wait_until(partial(_has_no_todos, db))
    now = {each["shoppingItemId"]: each for each in await get_shopping_list(home.admin)}
    assert len(now) == ENTRY_COUNT + 3
    for old in entries:
        new = now[old.shopping_item_id]
        assert (new["itemId"], new["version"]) == (None, old.version + 1)
        assert (new["status"], new["ttl"], new["name"]) == (old.status, old.ttl, "Milk")
    assert await get_pending_entry_ids(home, milk) == []
    assert [now[each.shopping_item_id]["itemId"] for each in others] == [tea["itemId"]] * 3
    assert len(await get_pending_entry_ids(home, tea)) == 2


async def test_worker_unlinks_entries_after_a_crash(
    home: Home, milk: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stops after the transaction, and a worker finishes its work."""

    async def crash(*_: object) -> None:
        return None

    entries = await add_entries(home.running.db, home.family_id, milk["itemId"], 60)
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    key = inventory.key_of(home.family_id, milk["itemId"])
    await inventory.remove(home.running.db, key, ())
    await wait_until(partial(_has_no_todos, home.running.db))
    for old in entries:
        new = await store.entry(home.running.db, home.family_id, old.shopping_item_id)
        assert new is not None
        assert (new.item_id, new.version) == (None, old.version + 1)
    assert await get_pending_entry_ids(home, milk) == []


async def test_worker_finishes_interrupted_unlinking(
    home: Home, milk: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = home.running.db
    entries = await add_entries(db, home.family_id, milk["itemId"], 50)
    monkeypatch.setattr(store, "UNLINK_BATCH", 20)
    left = todo("item_removed", {"familyId": home.family_id, "itemId": milk["itemId"]})
    record = await inventory.get_item(db, home.family_id, milk["itemId"])
    assert record is not None
    await db.transact(record.delete(), left.put())
    working = asyncio.create_task(inventory.clean_up_item((), db, left))
    while len(await db.all(store.entries_of_item(home.family_id, milk["itemId"]))) > 30:  # noqa: ASYNC110
        await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait([working])
    await do_what_is_due(db, home.running.todos)
    now = [await store.entry(db, home.family_id, old.shopping_item_id) for old in entries]
    versions = [each and each.version for each in now]
    assert versions == [old.version + 1 for old in entries]
    assert await get_pending_entry_ids(home, milk) == []


async def test_unlinking_survives_concurrent_changes_of_entries(
    open_another: Opener, home: Home, milk: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process deletes, ticks and edits the entries at the same time."""
    monkeypatch.setattr(store, "UNLINK_BATCH", 7)
    db, other = home.running.db, open_another()
    entries = await add_entries(db, home.family_id, milk["itemId"], 60)
    keys = [each.own_key() for each in entries]

    async def change_entries() -> None:
        for number, old in enumerate(entries):
            try:
                if number % 3 == 0:
                    await store.remove_entry(other, keys[number])
                elif number % 3 == 1:
                    await store.mark_entry(
                        other, keys[number], old.version, "purchased", HabitLearner(other), "admin"
                    )
                else:
                    await store.edit_entry(other, keys[number], old.version, {"name": "Oat milk"})
            except VersionConflict:  # the other process was faster
                continue

    record = await inventory.get_item(db, home.family_id, milk["itemId"])
    assert record is not None
    await db.write(record.delete())
    await asyncio.gather(store.unlink_item(db, home.family_id, milk["itemId"]), change_entries())
    now = await get_shopping_list(home.admin)
    assert {each["itemId"] for each in now} == {None}
    assert len(now) == 40
    assert await get_pending_entry_ids(home, milk) == []


async def test_concurrent_unlinking_changes_each_entry_once(
    open_another: Opener, home: Home, milk: Shown
) -> None:
    entries = await add_entries(home.running.db, home.family_id, milk["itemId"], 100)
    await asyncio.gather(
        *(store.unlink_item(open_another(), home.family_id, milk["itemId"]) for _ in range(3))
    )
    now = {each["shoppingItemId"]: each["version"] for each in await get_shopping_list(home.admin)}
    assert now == {old.shopping_item_id: old.version + 1 for old in entries}


async def test_deleting_entry_keeps_its_item(home: Home, milk: Shown) -> None:
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    assert (await home.admin.delete(entry_path(entry))).status_code == 204
    answer = await home.admin.get(f"/items/{milk['itemId']}")
    assert answer.json() == milk


async def _has_no_todos(db: Database) -> bool:
    """Check whether the worker has done all to-dos."""
    return await todos_of(db) == []
