"""Test the memory limits of books with many notes."""

import asyncio
import io
import json
import time
import tracemalloc
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from homeshelf.books import import_jobs
from homeshelf.books.file_rows import TOO_MANY_NOTES, BookFile, open_file
from homeshelf.errors import Invalid
from tests.api_client import parsed_body
from tests.books.client import JSON, LARGE, import_shelf, peak_memory, send, signed_up_client
from tests.processes import served
from tests.running import Person

AT_ONCE = 4
OBJECTS = 50_000
PREVIEW = "/books/import?dryRun=true"
MEMORY = 200_000_000
VALUES_MEMORY = 100_000_000
AT = "2024-01-01T00:00:00.000Z"
NOTE = {"content": "a note", "createdAt": AT, "updatedAt": AT}
EVENT = {"page": 3, "occurredAt": AT}
TOO_MANY = "A book can have at most 10,000 notes and 10,000 reading events."


def file_with_notes_and_events(notes: int, events: int = 0) -> bytes:
    long: dict[str, Any] = {"title": "Emma", "notes": [NOTE] * notes, "events": [EVENT] * events}
    return json.dumps({"books": [long, {"title": "Dune"}]}).encode()


def read_json(text: bytes) -> BookFile:
    return open_file(io.BytesIO(text), "application/json", "a reader", AT)


def test_book_of_too_many_objects_is_left_out_before_it_is_parsed() -> None:
    text = file_with_notes_and_events(OBJECTS)
    tracemalloc.start()
    try:
        rows = list(read_json(text).rows())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [(row.wrong, row.values.get("title")) for row in rows] == [
        (TOO_MANY_NOTES, None),
        (None, "Dune"),
    ]
    assert most < 400 * OBJECTS, "the text alone; an object takes as much again"


def test_file_that_waits_for_its_turn_takes_little_memory() -> None:
    book = b'{"title":"Emma","description":"' + b"x" * 900 + b'"}'
    text = b'{"books":[' + b",".join([book] * 20_000) + b"]}"
    with TemporaryFile() as content:
        content.write(text)
        del text
        tracemalloc.start()
        try:
            rows = open_file(content, "application/json", "a reader", AT).rows()
            next(rows)
            now, _most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert now < 1_000_000


@pytest.mark.parametrize("value", ["1.5", "[]", '"text"'])
def test_file_with_too_many_values_is_refused_before_they_are_read(value: str) -> None:
    text = b'{"books":[{"notes":[' + f"{value},".encode() * 2_000_000 + b"1]}]}"
    tracemalloc.start()
    try:
        with pytest.raises(Invalid, match="read books from this file"):
            read_json(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < VALUES_MEMORY


async def test_no_more_than_two_files_are_read_at_a_time(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading: list[int] = []
    numbers: list[int] = []

    def count_and_open(*arguments: Any) -> BookFile:
        reading.append(1)
        numbers.append(len(reading))
        time.sleep(0.1)  # in a thread: meanwhile others that may begin do
        try:
            return open_file(*arguments)
        finally:
            reading.pop()

    monkeypatch.setattr(import_jobs, "open_file", count_and_open)
    previews = (send(ada, file_with_notes_and_events(1), JSON, "?dryRun=true") for _ in range(5))
    assert [answer.status_code for answer in await asyncio.gather(*previews)] == [200] * 5
    assert len(numbers) == 5
    assert max(numbers) == 2


@pytest.mark.timeout(180)
async def test_four_previews_of_one_endless_book_take_little_memory(tmp_path: Path) -> None:
    notes = LARGE // (len(json.dumps(NOTE)) + 2) - 10
    content = file_with_notes_and_events(notes).ljust(LARGE)
    with served(tmp_path) as homeshelf:
        async with AsyncExitStack() as clients:
            names = [f"reader{number}" for number in range(AT_ONCE)]
            readers = [
                await clients.enter_async_context(signed_up_client(homeshelf, it)) for it in names
            ]
            before = peak_memory(homeshelf)
            answers = await asyncio.gather(
                *(
                    reader.post(PREVIEW, content=content, headers=JSON, timeout=150)
                    for reader in readers
                )
            )
            for answer in answers:
                assert (answer.status_code, answer.json()) == (
                    200,
                    {"added": 1, "skipped": 0, "problems": [{"line": 1, "message": TOO_MANY}]},
                )
            assert peak_memory(homeshelf) - before < MEMORY


@pytest.mark.parametrize(
    ("notes", "events", "added"),
    [(10_000, 10_000, 2), (10_001, 0, 1), (0, 10_001, 1), (9_999, 10_002, 1), (20_001, 0, 1)],
)
async def test_book_with_too_many_notes_or_events_is_named_and_left_out(
    ada: Person, notes: int, events: int, added: int
) -> None:
    found = parsed_body(
        await send(ada, file_with_notes_and_events(notes, events), JSON, "?dryRun=true")
    )
    assert found["added"] == added
    assert found["problems"] == ([{"line": 1, "message": TOO_MANY}] if added == 1 else [])


async def test_import_leaves_out_the_endless_book_alone(ada: Person) -> None:
    done = await import_shelf(ada, file_with_notes_and_events(10_001), JSON)
    assert (done["added"], done["problems"]) == (1, [{"line": 1, "message": TOO_MANY}])
    assert [book["title"] for book in parsed_body(await ada.get("/books"))["items"]] == ["Dune"]


async def test_file_sets_a_yearly_goal_only_for_a_reader_without_settings(ada: Person) -> None:
    assert (await import_shelf(ada, '{"yearlyGoal":12,"books":[{"title":"Emma"}]}', JSON))[
        "added"
    ] == 1
    assert parsed_body(await ada.get("/books/settings"))["yearlyGoal"] == 12
    await import_shelf(ada, '{"yearlyGoal":30,"books":[{"title":"Dune"}]}', JSON)
    assert parsed_body(await ada.get("/books/settings"))["yearlyGoal"] == 12
    assert (await ada.patch("/books/settings", {"yearlyGoal": None})).status_code == 200
    await import_shelf(ada, '{"yearlyGoal":40,"books":[{"title":"Waves"}]}', JSON)
    assert parsed_body(await ada.get("/books/settings"))["yearlyGoal"] is None
