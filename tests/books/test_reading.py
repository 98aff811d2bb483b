"""Test recording the page that a reader is on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import date
from itertools import pairwise

import pytest

from homeshelf.books import store
from homeshelf.table import BOOKS, Database
from tests.api_client import (
    Shown,
    add_book,
    add_note,
    edit_book,
    get_all_pages,
    get_book,
    get_reader_records,
    invalid_fields,
    parsed_body,
    reach_page,
)
from tests.costs import count_operations
from tests.databases import Opener
from tests.home import NOBODYS
from tests.moment import HOUR, Moment
from tests.running import Person, RunningApp, problem_of, running_app

AT_ONCE = 230


async def get_events(person: Person, book: Shown, question: str = "") -> list[Shown]:
    return await get_all_pages(person, f"/books/{book['id']}/events{question}", 100)


async def test_event_and_book_have_the_same_time(ada: Person) -> None:
    book = await add_book(ada, status="READING", totalPages=400)
    event = await reach_page(ada, book, 42)
    now = await get_book(ada, book)
    assert now == book | {"currentPage": 42, "updatedAt": event["occurredAt"]}
    assert event == {
        "id": event["id"],
        "userId": ada.member_id,
        "bookId": book["id"],
        "page": 42,
        "occurredAt": event["occurredAt"],
        "entityType": "EVENT",
    }
    assert await get_events(ada, book) == [event]


async def test_reaching_a_page_costs_one_read_and_one_transaction(database: Database) -> None:
    book = await store.add(database, NOBODYS, {"title": "Dune"}, date(2024, 11, 1))
    with count_operations(database) as spent:
        await store.reach_page(database, book.own_key(), 42)
    assert spent == {"get": 1, "transact": 1}


async def test_invalid_page_is_refused_and_nothing_is_stored(
    running: RunningApp, ada: Person
) -> None:
    book = await add_book(ada, totalPages=100)
    before = await get_reader_records(running.db, ada)
    for sent in ({"page": -1}, {"page": "3"}, {"page": 1.5}, {"page": True}, {"page": 101}, {}):
        assert invalid_fields(await ada.post(f"/books/{book['id']}/page", sent)) == ["page"]
    assert await get_reader_records(running.db, ada) == before


async def test_page_may_go_back_and_reach_the_last(ada: Person) -> None:
    book = await add_book(ada, status="READING", totalPages=100)
    for page in (100, 7, 0):
        await reach_page(ada, book, page)
    now = await get_book(ada, book)
    assert (now["currentPage"], now["status"]) == (0, "READING"), "nothing is finished by itself"


async def test_events_are_listed_in_both_orders(ada: Person) -> None:
    book, other = await add_book(ada), await add_book(ada)
    events = [await reach_page(ada, book, page) for page in (10, 30, 20, 40)]
    await reach_page(ada, other, 1)
    assert await get_events(ada, book) == events
    assert await get_events(ada, book, "?order=asc") == events
    assert await get_events(ada, book, "?order=desc") == events[::-1]
    path = f"/books/{book['id']}/events?order=desc"
    assert await get_all_pages(ada, path, 3) == events[::-1]


async def test_events_are_filtered_by_time(ada: Person, moment: Moment) -> None:
    book = await add_book(ada)
    events = []
    for page in (1, 2, 3, 4):
        moment.pass_by(HOUR)
        events.append(await reach_page(ada, book, page))
    second, third = events[1]["occurredAt"], events[2]["occurredAt"]
    assert await get_events(ada, book, f"?from={second}&to={third}") == events[1:3]
    assert await get_events(ada, book, f"?from={third}") == events[2:]
    assert await get_events(ada, book, f"?to={second}&order=desc") == events[1::-1]
    assert await get_events(ada, book, "?from=2024-11-01T14:00:00Z") == events[1:]
    assert await get_events(ada, book, "?to=2024-11-01T13:00:00Z") == events[:1]
    path = f"/books/{book['id']}/events"
    assert invalid_fields(await ada.get(f"{path}?from=2024-11-01")) == ["from"]
    assert invalid_fields(await ada.get(f"{path}?to=0001-01-01T00:00:00%2B23:00")) == ["to"]
    assert invalid_fields(await ada.get(f"{path}?from={third}&to={second}")) == ["to"]


async def test_events_cannot_be_changed(running: RunningApp, ada: Person) -> None:
    book = await add_book(ada)
    event = await reach_page(ada, book, 42)
    before = await get_reader_records(running.db, ada)
    for method in ("PUT", "PATCH", "DELETE", "POST"):
        for path in ("/events", f"/events/{event['id']}"):
            answer = await ada.ask(method, f"/books/{book['id']}{path}", {"page": 1})
            assert answer.status_code in (404, 405)
    assert await get_reader_records(running.db, ada) == before


async def test_repeated_idempotency_key_records_one_event(ada: Person) -> None:
    book = await add_book(ada)
    path = f"/books/{book['id']}/page"
    answers = await asyncio.gather(*(ada.post(path, {"page": 5}, key="k") for _ in range(6)))
    assert {answer.status_code for answer in answers} == {201}
    assert len(await get_events(ada, book)) == 1


@pytest.fixture
async def running_apps(open_another: Opener) -> AsyncIterator[list[RunningApp]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running_app(open_another())) for _ in range(2)]


async def test_230_concurrent_pages_are_all_recorded(running_apps: list[RunningApp]) -> None:
    ada = await running_apps[0].person("ada")
    book = await add_book(ada)
    doors = [ada, running_apps[1].visitor()]
    doors[1].bear(ada.client.headers["authorization"].removeprefix("Bearer "))
    path = f"/books/{book['id']}/page"
    answers = await asyncio.gather(
        *(doors[page % 2].post(path, {"page": page}) for page in range(AT_ONCE))
    )
    assert {answer.status_code for answer in answers} == {201}
    events = await get_events(ada, book)
    assert sorted(event["page"] for event in events) == list(range(AT_ONCE))
    assert all(one["occurredAt"] < other["occurredAt"] for one, other in pairwise(events))
    now = await get_book(ada, book)
    newest = events[-1]
    assert (now["currentPage"], now["updatedAt"]) == (newest["page"], newest["occurredAt"])


async def test_concurrent_pages_and_edits_are_all_kept(ada: Person) -> None:
    book = await add_book(ada)
    await asyncio.gather(
        *(reach_page(ada, book, page) for page in range(30)),
        *(edit_book(ada, book, rating=1 + number % 5) for number in range(10)),
        edit_book(ada, book, author="Herbert"),
    )
    now = await get_book(ada, book)
    events = await get_events(ada, book)
    assert len(events) == 30
    assert (now["author"], now["currentPage"]) == ("Herbert", events[-1]["page"])


async def test_stored_event_equals_the_source_document(running: RunningApp, ada: Person) -> None:
    book = await add_book(ada)
    event = await reach_page(ada, book, 42)
    (item,) = [
        it for it in await get_reader_records(running.db, ada) if it["entityType"] == "EVENT"
    ]
    assert item[BOOKS.sort] == f"EVENT#{book['id']}#{event['occurredAt']}#{event['id']}"
    assert item.keys() == {*event, "pk", "sk"}


async def test_notes_are_listed_oldest_first_and_edited(ada: Person, moment: Moment) -> None:
    book, other = await add_book(ada), await add_book(ada)
    notes = []
    for content in ("one", "two", "three"):
        moment.pass_by(1)
        notes.append(await add_note(ada, book, content))
    await add_note(ada, other)
    path = f"/books/{book['id']}/notes"
    assert await get_all_pages(ada, path, 2) == notes
    assert [note["id"][14] for note in notes] == ["7", "7", "7"]
    moment.pass_by(1)
    new = parsed_body(await ada.patch(f"{path}/{notes[0]['id']}", {"content": "ONE"}))
    assert new == notes[0] | {"content": "ONE", "updatedAt": new["updatedAt"]}
    assert new["updatedAt"] > notes[0]["updatedAt"]
    assert (await ada.delete(f"{path}/{notes[1]['id']}")).status_code == 204
    assert problem_of(await ada.delete(f"{path}/{notes[1]['id']}")) == (404, "not_found")
    assert await get_all_pages(ada, path, 2) == [new, notes[2]]
    assert await get_book(ada, book) == book


async def test_empty_note_is_refused(ada: Person) -> None:
    book = await add_book(ada)
    path = f"/books/{book['id']}/notes"
    for content in ("", "  ", "x" * 10_001, None, 3):
        assert invalid_fields(await ada.post(path, {"content": content})) == ["content"]
    long = await add_note(ada, book, "\U0001f4da" * 10_000)
    answer = await ada.patch(f"{path}/{long['id']}", {"content": ""})
    assert invalid_fields(answer) == ["content"]
    assert problem_of(await ada.patch(f"{path}/{NOBODYS}", {"content": "x"})) == (404, "not_found")


async def test_long_note_is_stored_once(ada: Person) -> None:
    book = await add_book(ada)
    path = f"/books/{book['id']}/notes"
    sent = {"content": "\U0001f4da" * 10_000}
    first, again = [await ada.post(path, sent, key="k") for _ in range(2)]
    assert (first.status_code, again.json()) == (201, first.json())
    assert len(await get_all_pages(ada, path, 50)) == 1
