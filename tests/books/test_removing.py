"""Test deleting a book with its notes and events."""

import asyncio
from functools import partial

import pytest

from homeshelf.books import store
from homeshelf.coordination.todos import todo
from homeshelf.table.operations import Delete
from tests.api_client import (
    add_book,
    add_note,
    get_reader_records,
    get_titles,
    parsed_body,
    reach_page,
    wait_until,
)
from tests.books.client import is_reader_gone
from tests.queues import do_what_is_due, todos_of
from tests.running import Person, RunningApp, problem_of


async def test_notes_and_events_are_deleted_with_their_book(
    running: RunningApp, ada: Person
) -> None:
    dune, emma = await add_book(ada, title="Dune"), await add_book(ada, title="Emma")
    for book in (dune, emma):
        await reach_page(ada, book, 42)
        await add_note(ada, book)
    await reach_page(ada, dune, 43)
    assert (await ada.delete(f"/books/{dune['id']}")).status_code == 204
    assert await get_titles(ada) == ["Emma"]
    left = await get_reader_records(running.db, ada)
    assert sorted(str(item["entityType"]) for item in left) == ["BOOK", "EVENT", "NOTE"]
    assert {item.get("bookId", item["id"]) for item in left} == {emma["id"]}
    for path in ("", "/events", "/notes"):
        assert problem_of(await ada.get(f"/books/{dune['id']}{path}")) == (404, "not_found")
    again = await ada.delete(f"/books/{dune['id']}")
    assert problem_of(again) == (404, "not_found")
    assert await todos_of(running.db) == []


async def test_todo_completes_a_deletion_after_a_crash(
    running: RunningApp, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = await add_book(ada)
    event, note = await reach_page(ada, book, 42), await add_note(ada, book)

    async def crash(*_: object) -> None:
        return None

    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    assert (await ada.delete(f"/books/{book['id']}")).status_code == 204
    path = f"/books/{book['id']}"
    for method, where, body in (
        ("GET", "/events", None),
        ("GET", "/notes", None),
        ("POST", "/page", {"page": 3}),
        ("POST", "/notes", {"content": "x"}),
        ("PATCH", f"/notes/{note['id']}", {"content": "x"}),
        ("DELETE", f"/notes/{note['id']}", None),
    ):
        assert problem_of(await ada.ask(method, path + where, body)) == (404, "not_found")
    assert parsed_body(await ada.get("/books/stats"))["pagesRead"] == 0, event
    await wait_until(partial(is_reader_gone, running.db, ada))


async def test_leftover_notes_of_a_deleted_book_are_not_found(
    running: RunningApp, ada: Person
) -> None:
    book = await add_book(ada)
    await reach_page(ada, book, 42)
    note = await add_note(ada, book)
    await running.db.write(Delete(store.key_of(ada.member_id, book["id"])))
    before = await get_reader_records(running.db, ada)
    assert len(before) == 2
    for method, where, body in (
        ("GET", "/events", None),
        ("GET", "/notes", None),
        ("PATCH", f"/notes/{note['id']}", {"content": "x"}),
        ("PATCH", f"/notes/{note['id']}", {}),
        ("DELETE", f"/notes/{note['id']}", None),
    ):
        answer = await ada.ask(method, f"/books/{book['id']}{where}", body)
        assert problem_of(answer) == (404, "not_found")
    assert parsed_body(await ada.get("/books/stats"))["pagesRead"] == 0
    assert await get_reader_records(running.db, ada) == before


async def test_repeated_cleanup_keeps_a_restored_book(running: RunningApp, ada: Person) -> None:
    book = await add_book(ada)
    about = {"userId": ada.member_id, "bookId": book["id"]}
    await reach_page(ada, book, 42)
    await running.db.put(todo(store.REMOVAL_KIND, about))
    await do_what_is_due(running.db, running.todos)
    assert len(await get_reader_records(running.db, ada)) == 2


async def test_concurrent_notes_and_deletion_leave_no_records(
    running: RunningApp, ada: Person
) -> None:
    for _ in range(3):
        book = await add_book(ada)
        path = f"/books/{book['id']}"
        answers = await asyncio.gather(
            *(ada.post(f"{path}/page", {"page": page}) for page in range(8)),
            ada.delete(path),
            *(ada.post(f"{path}/notes", {"content": "x"}) for _ in range(8)),
        )
        assert {answer.status_code for answer in answers} <= {201, 204, 404}
        await wait_until(partial(is_reader_gone, running.db, ada))
