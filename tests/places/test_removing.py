"""The deletion of places under concurrent changes."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.todos import Todo
from homeshelf.places import store
from homeshelf.places.model import Place, StorageLocation, Store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database
from tests.api_client import (
    ID_OF,
    Shown,
    add_item,
    add_place,
    edit_item,
    get_all_pages,
    get_item,
    set_archived,
    wait_until,
)
from tests.databases import Opener
from tests.home import Home, new_home
from tests.moment import Moment
from tests.queues import do_what_is_due, due_todos, todos_of
from tests.records import make_record
from tests.running import problem_of, running_app

RECORD: dict[str, type[Place]] = {"locations": StorageLocation, "stores": Store}
FIELD = {"locations": "locationId", "stores": "preferredStoreId"}


@pytest.fixture
async def place(home: Home, kind: str) -> Shown:
    return await add_place(home.admin, kind, "Corner")


async def delete_place(home: Home, kind: str, place: Shown) -> Any:
    return await home.admin.delete(f"/{kind}/{place[ID_OF[kind]]}")


async def place_exists(home: Home, kind: str, place: Shown) -> bool:
    return place in await get_all_pages(home.admin, f"/{kind}", 100)


async def get_place(home: Home, kind: str, place: Shown) -> Place:
    record = await home.running.db.get(RECORD[kind].key_for(home.family_id, place[ID_OF[kind]]))
    assert record is not None
    return record


async def test_unreferenced_place_is_deleted(home: Home, kind: str, place: Shown) -> None:
    assert (await delete_place(home, kind, place)).status_code == 204
    assert not await place_exists(home, kind, place)
    assert problem_of(await delete_place(home, kind, place)) == (404, "not_found")
    answer = await home.admin.post("/items", {"name": "Rice", FIELD[kind]: place[ID_OF[kind]]})
    assert problem_of(answer) == (404, "not_found")
    assert "reopen_place" not in [todo.kind for todo in await todos_of(home.running.db)]


async def test_location_with_items_returns_409_with_count(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    items = [await add_item(home.admin, locationId=pantry["locationId"]) for _ in range(3)]
    await add_item(home.admin)
    await set_archived(home.admin, items[0], "archive")
    answer = await delete_place(home, "locations", pantry)
    assert problem_of(answer) == (409, "in_use")
    assert answer.json()["references"] == {"items": 3}
    assert answer.json()["detail"] == "This is still in use."
    assert await place_exists(home, "locations", pantry)
    for item in items:
        await edit_item(home.admin, item, locationId=None)
    assert (await delete_place(home, "locations", pantry)).status_code == 204


async def test_store_with_items_or_entries_returns_409_with_counts(home: Home) -> None:
    market, corner = [await add_place(home.admin, "stores", name) for name in ("Market", "Corner")]
    market_id, corner_id = market["storeId"], corner["storeId"]
    await add_item(home.admin, preferredStoreId=market_id)
    await add_item(home.admin, preferredStoreId=corner_id, alternateStoreIds=[market_id])
    await add_item(home.admin, preferredStoreId=market_id, alternateStoreIds=[market_id])
    entries = [
        make_record(
            ShoppingListItem,
            family_id=home.family_id,
            shopping_item_id=clock.new_id(),
            store_id=store_id,
            ttl=ttl,
        )
        for store_id, ttl in ((market_id, None), (market_id, 1_000_000_000), (None, None))
    ]
    await home.running.db.batch([entry.put() for entry in entries])
    answer = await delete_place(home, "stores", market)
    assert problem_of(answer) == (409, "in_use")
    assert answer.json()["references"] == {"items": 3, "shoppingItems": 1}
    answer = await delete_place(home, "stores", corner)
    assert answer.json()["references"] == {"items": 1, "shoppingItems": 0}


async def test_entry_alone_prevents_store_deletion(home: Home) -> None:
    market = await add_place(home.admin, "stores", "Market")
    entry = make_record(
        ShoppingListItem,
        family_id=home.family_id,
        shopping_item_id=clock.new_id(),
        store_id=market["storeId"],
    )
    await home.running.db.put(entry)
    answer = await delete_place(home, "stores", market)
    assert answer.json()["references"] == {"items": 0, "shoppingItems": 1}


async def test_place_can_be_used_at_once_after_refused_deletion(
    home: Home, kind: str, place: Shown
) -> None:
    rice = await add_item(home.admin, **{FIELD[kind]: place[ID_OF[kind]]})
    assert problem_of(await delete_place(home, kind, place)) == (409, "in_use")
    assert (await get_place(home, kind, place)).closed_at is None
    assert "reopen_place" not in [todo.kind for todo in await todos_of(home.running.db)]
    await add_item(home.admin, **{FIELD[kind]: place[ID_OF[kind]]})
    assert (await get_item(home.admin, rice))["version"] == 1
    assert await place_exists(home, kind, place)


async def test_deleted_item_is_no_reference(home: Home, kind: str, place: Shown) -> None:
    rice = await add_item(home.admin, **{FIELD[kind]: place[ID_OF[kind]]})
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    assert (await delete_place(home, kind, place)).status_code == 204


async def test_concurrent_item_creation_prevents_or_follows_deletion(
    open_another: Opener, kind: str
) -> None:
    async with running_app(open_another()) as running, running_app(open_another()) as other:
        home = await new_home(running, "Lovelace", "ada")
        elsewhere = other.visitor()
        elsewhere.client.headers.update(home.admin.client.headers)
        for number in range(12):
            place = await add_place(home.admin, kind, f"{number}")
            removed, added = await asyncio.gather(
                delete_place(home, kind, place),
                elsewhere.post("/items", {"name": "Rice", FIELD[kind]: place[ID_OF[kind]]}),
            )
            outcome = (removed.status_code, added.status_code)
            assert outcome in ((204, 404), (409, 201))
            assert await place_exists(home, kind, place) == (removed.status_code == 409)
        items = await get_all_pages(home.admin, "/items", 100)
        places = await get_all_pages(home.admin, f"/{kind}", 100)
        named = {item[FIELD[kind]] for item in items}
        assert named == {place[ID_OF[kind]] for place in places}


async def test_concurrent_deletions_succeed_once(open_another: Opener, kind: str) -> None:
    async with running_app(open_another()) as running:
        home = await new_home(running, "Lovelace", "ada")
        for number in range(4):
            place = await add_place(home.admin, kind, f"{number}")
            key = RECORD[kind].key_for(home.family_id, place[ID_OF[kind]])
            references = partial(store.count_references, running.services)
            outcomes = await asyncio.gather(
                *(store.remove_place(open_another(), key, references) for _ in range(3)),
                return_exceptions=True,
            )
            assert [type(outcome).__name__ for outcome in outcomes].count("NoneType") == 1
            assert not await place_exists(home, kind, place)


async def test_concurrent_deletion_and_rename_leave_at_most_one_claim(
    open_another: Opener, kind: str
) -> None:
    async with running_app(open_another()) as running:
        home = await new_home(running, "Lovelace", "ada")
        other = open_another()
        for number in range(6):
            place = await add_place(home.admin, kind, f"{number}")
            path = f"/{kind}/{place[ID_OF[kind]]}"
            key = RECORD[kind].key_for(home.family_id, place[ID_OF[kind]])
            references = partial(store.count_references, running.services)
            renamed, _ = await asyncio.gather(
                home.admin.patch(path, {"name": "Corner", "version": 1}),
                store.remove_place(other, key, references),
            )
            assert renamed.status_code in (200, 404)
            assert await get_all_pages(home.admin, f"/{kind}", 100) == []
            for name in ("Corner", f"{number}"):
                again = await add_place(home.admin, kind, name)
                assert (await delete_place(home, kind, again)).status_code == 204


class Crash(BaseException):
    pass


async def crash(_db: Database, _place: Place) -> dict[str, int]:
    raise Crash


async def close_with_crash(home: Home, kind: str, place: Shown) -> None:
    """Close a place as a deletion does before a crash."""
    key = RECORD[kind].key_for(home.family_id, place[ID_OF[kind]])
    with pytest.raises(Crash):
        await store.remove_place(home.running.db, key, crash)
    assert (await get_place(home, kind, place)).closed_at is not None


async def test_place_closed_by_crash_is_reopened(
    home: Home, kind: str, place: Shown, moment: Moment
) -> None:
    await close_with_crash(home, kind, place)
    assert await place_exists(home, kind, place)
    handlers = {"reopen_place": store.reopen_place}
    moment.pass_by(29)
    assert await do_what_is_due(home.running.db, handlers) == 0
    moment.pass_by(1)
    await wait_until(lambda: _is_open(home, kind, place))
    await add_item(home.admin, **{FIELD[kind]: place[ID_OF[kind]]})
    assert problem_of(await delete_place(home, kind, place)) == (409, "in_use")


async def _is_open(home: Home, kind: str, place: Shown) -> bool:
    return (await get_place(home, kind, place)).closed_at is None


async def test_place_closed_by_crash_can_be_deleted_or_renamed(
    home: Home, kind: str, place: Shown
) -> None:
    await close_with_crash(home, kind, place)
    path = f"/{kind}/{place[ID_OF[kind]]}"
    assert (await home.admin.patch(path, {"name": "Shelf", "version": 1})).status_code == 200
    assert (await get_place(home, kind, place)).closed_at is None
    await close_with_crash(home, kind, place)
    assert (await delete_place(home, kind, place)).status_code == 204


async def test_item_with_closed_place_waits_until_it_is_reopened(
    home: Home, kind: str, place: Shown
) -> None:
    await close_with_crash(home, kind, place)
    body = {"name": "Rice", FIELD[kind]: place[ID_OF[kind]]}
    waiting = asyncio.create_task(home.admin.post("/items", body))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    about = {"kind": RECORD[kind].kind_name, "familyId": home.family_id}
    left = Todo(todo_id="t", due_at="d", kind="k", about=about | {"placeId": place[ID_OF[kind]]})
    await store.reopen_place(home.running.db, left)
    assert (await waiting).status_code == 201


async def test_todo_for_deleted_place_does_nothing(home: Home, kind: str, place: Shown) -> None:
    await close_with_crash(home, kind, place)
    assert (await delete_place(home, kind, place)).status_code == 204
    later = clock.now() + timedelta(minutes=1)
    for left in await due_todos(home.running.db, later):
        await store.reopen_place(home.running.db, left)
    assert not await place_exists(home, kind, place)
