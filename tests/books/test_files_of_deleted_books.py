"""Test imports while books or their readers are deleted."""

import asyncio
import io
import json

import pytest

from homeshelf.books import import_jobs, store
from tests.api_client import get_reader_records, parsed_body, wait_until
from tests.books.client import JSON, export_shelf, fill_shelf, get_events, import_shelf
from tests.database_hooks import When, with_hook
from tests.queues import todos_of
from tests.running import Person, RunningApp

TURNS = asyncio.Semaphore()


async def test_import_restores_a_deleted_book_completely(
    running: RunningApp, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def postpone(*_: object) -> None:
        return None

    await fill_shelf(ada)
    content = await export_shelf(ada, "json")
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", postpone)
    for book in parsed_body(await ada.get("/books"))["items"]:
        assert (await ada.delete(f"/books/{book['id']}")).status_code == 204
    await import_shelf(ada, content, JSON)

    async def is_over() -> bool:
        return await todos_of(running.db) == []

    await wait_until(is_over)
    assert await export_shelf(ada, "json") == content


async def test_leftovers_of_a_deleted_book_are_not_exported(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def postpone(*_: object) -> None:
        return None

    await fill_shelf(ada)
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", postpone)
    books = parsed_body(await ada.get("/books?sort=title"))["items"]
    contents = {book["id"]: await get_events(ada, book) for book in books}
    gone = min(contents)
    assert (await ada.delete(f"/books/{gone}")).status_code == 204
    kept = json.loads(await export_shelf(ada, "json"))["books"]
    assert {book["id"]: len(book["events"]) for book in kept} == {
        id_: len(events) for id_, events in contents.items() if id_ != gone
    }


async def test_book_deleted_during_its_import_leaves_nothing(
    running: RunningApp, ada: Person, charles: Person
) -> None:
    await fill_shelf(ada)
    content = io.BytesIO(await export_shelf(ada, "json"))
    file = await import_jobs.read(TURNS, content, "application/json", charles.member_id)
    begun = await import_jobs.begin(running.db, file)
    writes = 0

    async def delete_all(moment: When, operation: str) -> None:
        nonlocal writes
        writes += (moment, operation) == ("before", "write")
        if (moment, operation, writes) == ("before", "write", file.total + 1):
            for item in await running.db.all(store.shelf(charles.member_id).up_to_date()):
                await store.remove(running.db, charles.member_id, item.id)

    await import_jobs.run_import(with_hook(running.db, delete_all), TURNS, begun, file)
    kinds = [item.get("entityType") for item in await get_reader_records(running.db, charles)]
    assert writes > file.total
    assert {"BOOK", "NOTE", "EVENT"} & set(kinds) == set()


async def test_account_deleted_during_an_import_leaves_nothing(
    running: RunningApp, ada: Person, charles: Person
) -> None:
    await fill_shelf(ada)
    content = io.BytesIO(await export_shelf(ada, "json"))
    file = await import_jobs.read(TURNS, content, "application/json", charles.member_id)
    begun = await import_jobs.begin(running.db, file)
    has_left = False

    async def leave(moment: When, operation: str) -> None:
        nonlocal has_left
        if (moment, operation, has_left) == ("before", "write", False):
            has_left = True
            await store.forget_reader(running.db, charles.member_id)

    await import_jobs.run_import(with_hook(running.db, leave), TURNS, begun, file)
    assert has_left
    assert await get_reader_records(running.db, charles) == []
