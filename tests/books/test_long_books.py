"""Books with many notes: memory stays bounded, and the reader learns what was left out."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.bookcase import made
from tests.books.files import JSON, imported, send
from tests.books.served_readers import LARGE, most_memory, signed_up
from tests.running import Person
from tests.served import served

AT_ONCE = 8
PREVIEW = "/books/import?dryRun=true"
MEMORY = 200_000_000
AT = "2024-01-01T00:00:00.000Z"
NOTE = {"content": "a note", "createdAt": AT, "updatedAt": AT}
EVENT = {"page": 3, "occurredAt": AT}
TOO_MANY = "A book may bring at most 10,000 notes and 10,000 reading events."


def file_with(notes: int, events: int = 0) -> bytes:
    long: dict[str, Any] = {"title": "Emma", "notes": [NOTE] * notes, "events": [EVENT] * events}
    return json.dumps({"books": [long, {"title": "Dune"}]}).encode()


async def test_eight_previews_of_one_endless_book_take_little_memory(tmp_path: Path) -> None:
    notes = LARGE // (len(json.dumps(NOTE)) + 2) - 10
    content = file_with(notes).ljust(LARGE)
    with served(tmp_path) as homeshelf:
        async with AsyncExitStack() as clients:
            names = [f"reader{number}" for number in range(AT_ONCE)]
            readers = [await clients.enter_async_context(signed_up(homeshelf, it)) for it in names]
            before = most_memory(homeshelf)
            answers = await asyncio.gather(
                *(
                    reader.post(PREVIEW, content=content, headers=JSON, timeout=60)
                    for reader in readers
                )
            )
            for answer in answers:
                assert (answer.status_code, answer.json()) == (
                    200,
                    {"added": 1, "skipped": 0, "problems": [{"line": 1, "message": TOO_MANY}]},
                )
            assert most_memory(homeshelf) - before < MEMORY


@pytest.mark.parametrize(
    ("notes", "events", "added"),
    [(10_000, 10_000, 2), (10_001, 0, 1), (0, 10_001, 1), (9_999, 10_002, 1), (20_001, 0, 1)],
)
async def test_book_with_too_many_notes_or_events_is_named_and_left_out(
    ada: Person, notes: int, events: int, added: int
) -> None:
    found = made(await send(ada, file_with(notes, events), JSON, "?dryRun=true"))
    assert found["added"] == added
    assert found["problems"] == ([{"line": 1, "message": TOO_MANY}] if added == 1 else [])


async def test_import_leaves_out_the_endless_book_alone(ada: Person) -> None:
    done = await imported(ada, file_with(10_001), JSON)
    assert (done["added"], done["problems"]) == (1, [{"line": 1, "message": TOO_MANY}])
    assert [book["title"] for book in made(await ada.get("/books"))["items"]] == ["Dune"]


async def test_file_sets_a_yearly_goal_only_for_a_reader_without_settings(ada: Person) -> None:
    assert (await imported(ada, '{"yearlyGoal":12,"books":[{"title":"Emma"}]}', JSON))["added"] == 1
    assert made(await ada.get("/books/settings"))["yearlyGoal"] == 12
    await imported(ada, '{"yearlyGoal":30,"books":[{"title":"Dune"}]}', JSON)
    assert made(await ada.get("/books/settings"))["yearlyGoal"] == 12
    assert (await ada.patch("/books/settings", {"yearlyGoal": None})).status_code == 200
    await imported(ada, '{"yearlyGoal":40,"books":[{"title":"Waves"}]}', JSON)
    assert made(await ada.get("/books/settings"))["yearlyGoal"] is None
