"""A deleted book leaves nothing behind, whatever happens half-way."""

import asyncio
import signal
import subprocess
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.app import TODOS
from homeshelf.books import removing
from homeshelf.books.model import ReadingEvent
from homeshelf.table import Database
from homeshelf.table.sqlite import Sqlite
from homeshelf.table.todos import todo
from tests.bookcase import Shown, add_book, add_note, made, reach, stored, titles
from tests.cupboard import eventually
from tests.house import OpenHouse, Person, open_house, problem_of
from tests.made import made as record
from tests.suggestions.watched import Moment, watched
from tests.todos import do_what_is_due, todos_of

MANY = 5_000
ROOT = Path(__file__).parents[2]


def events_of(user_id: str, book_id: str, count: int) -> list[ReadingEvent]:
    return [
        record(
            ReadingEvent,
            user_id=user_id,
            book_id=book_id,
            id=clock.new_id(),
            page=number,
            occurred_at=clock.timestamp(clock.EPOCH + timedelta(minutes=number)),
        )
        for number in range(count)
    ]


async def test_notes_and_events_go_with_their_book(house: OpenHouse, ada: Person) -> None:
    dune, emma = await add_book(ada, title="Dune"), await add_book(ada, title="Emma")
    for book in (dune, emma):
        await reach(ada, book, 42)
        await add_note(ada, book)
    await reach(ada, dune, 43)
    assert (await ada.delete(f"/books/{dune['id']}")).status_code == 204
    assert await titles(ada) == ["Emma"]
    left = await stored(house.db, ada)
    assert sorted(str(item["entityType"]) for item in left) == ["BOOK", "EVENT", "NOTE"]
    assert {item.get("bookId", item["id"]) for item in left} == {emma["id"]}
    for path in ("", "/events", "/notes"):
        assert problem_of(await ada.get(f"/books/{dune['id']}{path}")) == (404, "not_found")
    again = await ada.delete(f"/books/{dune['id']}")
    assert problem_of(again) == (404, "not_found")
    assert await todos_of(house.db) == []


async def test_a_crash_between_the_book_and_the_rest_is_made_good(
    house: OpenHouse, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one who deletes it gets as far as the transaction, and another finds what is left."""
    book = await add_book(ada)
    event, note = await reach(ada, book, 42), await add_note(ada, book)

    async def crash(*_: object) -> None:
        return None

    monkeypatch.setattr(removing, "finish_soon", crash)
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
    assert made(await ada.get("/books/stats"))["pagesRead"] == 0, event
    await eventually(partial(is_gone, house.db, ada))


async def test_what_is_done_twice_takes_nothing_that_came_back(
    house: OpenHouse, ada: Person
) -> None:
    book = await add_book(ada)
    about = {"userId": ada.member_id, "bookId": book["id"]}
    await reach(ada, book, 42)
    await house.db.put(todo(removing.KIND, about))
    await do_what_is_due(house.db, TODOS)
    assert len(await stored(house.db, ada)) == 2


async def test_pages_and_notes_at_the_moment_of_deleting_leave_nothing(
    house: OpenHouse, ada: Person
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
        await eventually(partial(is_gone, house.db, ada))


async def is_gone(db: Database, person: Person) -> bool:
    return await stored(db, person) == [] and await todos_of(db) == []


async def test_a_book_with_5000_events_is_gone_though_its_deletion_was_cut_off(
    house: OpenHouse, ada: Person
) -> None:
    book = await full_book(house.db, ada)
    batches = 0

    async def cut_off(moment: Moment, operation: str) -> None:
        nonlocal batches
        batches += (moment, operation) == ("after", "batch")
        if batches == 3:
            raise CutOff

    with pytest.raises(CutOff):
        await removing.remove(watched(house.db, cut_off), ada.member_id, book["id"])
    assert 1000 < len(await stored(house.db, ada)) < MANY
    assert problem_of(await ada.get(f"/books/{book['id']}/events")) == (404, "not_found")
    assert made(await ada.get("/books/stats"))["pagesRead"] == 0
    await eventually(partial(is_gone, house.db, ada), 40)


async def test_a_killed_process_leaves_a_deletion_that_the_next_one_finishes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "homeshelf.db"
    database = Database(Sqlite(path))
    async with open_house(database) as house:
        ada = await house.person("ada")
        book = await full_book(database, ada)
    await database.close()
    killed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.books.mortal", str(path), ada.member_id, book["id"]],
        cwd=ROOT,
        timeout=50,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    database = Database(Sqlite(path))
    assert 1000 < len(await stored(database, ada)) < MANY
    async with open_house(database) as house:
        again = house.visitor()
        again.bear(house.access_token(ada.member_id, ada.session_id))
        assert problem_of(await again.get(f"/books/{book['id']}")) == (404, "not_found")
        assert (await again.get("/books")).json() == {"items": []}
        await eventually(partial(is_gone, database, ada), 40)
    await database.close()


class CutOff(BaseException):
    """As if there were no process any more: nothing handles it."""


async def full_book(db: Database, person: Person) -> Shown:
    book = await add_book(person)
    await db.batch([event.put() for event in events_of(person.member_id, book["id"], MANY)])
    return book
