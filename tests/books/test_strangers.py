"""Test that no other person reads or changes a reader's shelf."""

from typing import Any

from tests.api_client import (
    Shown,
    add_book,
    add_note,
    get_reader_records,
    parsed_body,
    reach_page,
    wait_until,
)
from tests.home import Home
from tests.running import Person, RunningApp, Visitor, problem_of

OF_A_BOOK: list[tuple[str, str, Any]] = [
    ("GET", "/books/{book}", None),
    ("PATCH", "/books/{book}", {"rating": 1}),
    ("DELETE", "/books/{book}", None),
    ("POST", "/books/{book}/page", {"page": 1}),
    ("GET", "/books/{book}/events", None),
    ("GET", "/books/{book}/notes", None),
    ("POST", "/books/{book}/notes", {"content": "x"}),
    ("PATCH", "/books/{book}/notes/{note}", {"content": "x"}),
    ("DELETE", "/books/{book}/notes/{note}", None),
]
OF_A_READER: list[tuple[str, str, Any]] = [
    ("GET", "/books", None),
    ("POST", "/books", {"title": "Emma"}),
    ("GET", "/books/stats", None),
    ("GET", "/books/settings", None),
    ("PATCH", "/books/settings", {"yearlyGoal": 3}),
]


async def ids_of_new_shelf(person: Person) -> dict[str, str]:
    book: Shown = await add_book(person)
    await reach_page(person, book, 42)
    note = await add_note(person, book)
    return {"book": book["id"], "note": note["id"]}


async def test_anonymous_caller_gets_401(running: RunningApp, ada: Person) -> None:
    ids = await ids_of_new_shelf(ada)
    before = await get_reader_records(running.db, ada)
    stranger: Visitor = running.visitor()
    for method, path, body in OF_A_BOOK + OF_A_READER:
        answer = await stranger.ask(method, path.format(**ids), body)
        assert problem_of(answer) == (401, "unauthenticated")
    assert await get_reader_records(running.db, ada) == before


async def test_another_reader_gets_404(running: RunningApp, ada: Person, charles: Person) -> None:
    ids = await ids_of_new_shelf(ada)
    before = await get_reader_records(running.db, ada)
    for method, path, body in OF_A_BOOK:
        answer = await charles.ask(method, path.format(**ids), body)
        assert problem_of(answer) == (404, "not_found")
    own = await add_book(charles)
    for method in ("PATCH", "DELETE"):
        answer = await charles.ask(
            method, f"/books/{own['id']}/notes/{ids['note']}", {"content": "x"}
        )
        assert problem_of(answer) == (404, "not_found")
    assert await get_reader_records(running.db, ada) == before


async def test_page_token_is_valid_for_its_reader_only(ada: Person, charles: Person) -> None:
    for title in ("Dune", "Emma"):
        await add_book(ada, title=title)
    token = parsed_body(await ada.get("/books?limit=1"))["nextToken"]
    assert (await charles.get(f"/books?limit=1&nextToken={token}")).status_code == 400


async def test_admin_and_child_see_only_their_own_shelf(home: Home, kid: Person) -> None:
    ids = await ids_of_new_shelf(kid)
    assert [book["id"] for book in parsed_body(await kid.get("/books"))["items"]] == [ids["book"]]
    assert parsed_body(await home.admin.get("/books")) == {"items": []}
    for method, path, body in OF_A_BOOK:
        answer = await home.admin.ask(method, path.format(**ids), body)
        assert problem_of(answer) == (404, "not_found")


async def test_deleted_account_leaves_no_books(running: RunningApp, ada: Person) -> None:
    await ids_of_new_shelf(ada)
    await ada.patch("/books/settings", {"yearlyGoal": 3})
    assert (await ada.delete("/me", {"password": ada.password})).status_code == 204

    async def is_gone() -> bool:
        return await get_reader_records(running.db, ada) == []

    await wait_until(is_gone)  # a slow machine finishes it after the answer
