"""Test that the next process repairs what a killed process left behind."""

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.books.model import Book, Importing, Note, ReadingEvent
from homeshelf.config import addresses
from homeshelf.table import Database, open_database
from homeshelf.table.operations import Delete
from tests.api_client import add_book, get_reader_records, parsed_body, wait_until
from tests.books.client import JSON, export_shelf, import_shelf, is_reader_gone, send
from tests.databases import ENGINES
from tests.forked_processes import run_module
from tests.processes import environment, on_dynamodb
from tests.records import make_record as record
from tests.running import Person, problem_of, running_app

MANY = 5_000
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Tables:
    """A database that several processes can open."""

    settings: dict[str, str]
    database: Database

    async def run_until_killed(self, *arguments: str) -> None:
        variables = environment(self.settings)
        process = await asyncio.to_thread(
            run_module, "tests.kill_points", arguments, ROOT, variables
        )
        assert process.returncode == -signal.SIGKILL, process.stderr


@pytest.fixture(params=ENGINES)
async def shared_tables(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Tables]:
    settings = {"HOMESHELF_DATABASE": f"sqlite:///{tmp_path / 'homeshelf.db'}"}
    if request.param != "sqlite":
        settings = on_dynamodb(request.getfixturevalue(request.param), f"{clock.new_id()}.")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    database = open_database(addresses.database(settings["HOMESHELF_DATABASE"]))
    await database.engine.create_tables()
    yield Tables(settings, database)
    await database.close()


def make_events(user_id: str, book_id: str, count: int) -> list[ReadingEvent]:
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


async def test_killed_deletion_of_5000_events_is_completed(
    shared_tables: Tables,
) -> None:
    db = shared_tables.database
    async with running_app(db) as running:
        ada = await running.person("ada")
        book = await add_book(ada)
        await db.batch([event.put() for event in make_events(ada.member_id, book["id"], MANY)])
    await shared_tables.run_until_killed("remove-book", ada.member_id, book["id"])
    assert 1000 < len(await get_reader_records(db, ada)) < MANY
    async with running_app(db) as running:
        again = running.visitor()
        again.bear(running.access_token(ada.member_id, ada.session_id))
        for path in ("", "/events", "/notes"):
            answer = await again.get(f"/books/{book['id']}{path}")
            assert problem_of(answer) == (404, "not_found")
        assert parsed_body(await again.get("/books")) == {"items": []}
        assert parsed_body(await again.get("/books/stats"))["pagesRead"] == 0
        await wait_until(partial(is_reader_gone, db, ada), 40)


async def test_repeated_import_completes_a_killed_one(
    shared_tables: Tables, tmp_path: Path
) -> None:
    db, file = shared_tables.database, tmp_path / "books.json"
    async with running_app(db) as running:
        ada, charles = await running.person("ada"), await running.person("charles")
        await fill_shelf(db, ada)
        before = await export_shelf(ada, "json")
        file.write_bytes(before)
        await shared_tables.run_until_killed(
            "import-books", charles.member_id, str(file), "application/json"
        )
        assert (
            50
            <= len(await get_reader_records(db, charles))
            < len(await get_reader_records(db, ada))
        )
        assert problem_of(await send(charles, before, JSON)) == (409, "in_use")
        await db.write(Delete(Importing.key(user_id=charles.member_id)))  # its time is over
        done = await import_shelf(charles, before, JSON)
        assert (done["added"] + done["skipped"], done["problems"]) == (60, [])
        assert await export_shelf(charles, "json") == before


GOODREADS = "Title,Author,Exclusive Shelf,My Review\n" + "".join(
    f"Book {number},Ida Falk,read,Review {number}\n" for number in range(60)
)


async def test_repeated_import_adds_missing_reviews(shared_tables: Tables, tmp_path: Path) -> None:
    db, file = shared_tables.database, tmp_path / "goodreads.csv"
    file.write_text(GOODREADS)
    async with running_app(db) as running:
        ada = await running.person("ada")
        await shared_tables.run_until_killed("import-books", ada.member_id, str(file), "text/csv")
        kinds = [item["entityType"] for item in await get_reader_records(db, ada)]
        assert kinds.count("NOTE") < kinds.count("BOOK") == 50
        await db.write(Delete(Importing.key(user_id=ada.member_id)))  # its time is over
        done = await import_shelf(ada, GOODREADS, {"content-type": "text/csv"})
        assert done["skipped"] == kinds.count("BOOK")
        kinds = [item["entityType"] for item in await get_reader_records(db, ada)]
        assert (kinds.count("BOOK"), kinds.count("NOTE")) == (60, 60)


async def fill_shelf(db: Database, person: Person) -> None:
    records: list[Book | Note | ReadingEvent] = []
    at = clock.timestamp()
    given = {"user_id": person.member_id, "created_at": at, "updated_at": at}
    for number in range(60):
        book = record(Book, id=clock.new_id(), title=f"Book {number}", **given)
        note = record(Note, id=clock.ordered_id(), book_id=book.id, **given)
        records += [book, note, *make_events(person.member_id, book.id, 1)]
    await db.batch([each.put() for each in records])
