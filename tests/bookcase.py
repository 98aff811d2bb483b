"""Books on a reader's shelf, through the API.

book = await add_book(ada, title="Dune")
event = await reach(ada, book, 42)
"""

from typing import Any

import httpx

from homeshelf.table import BOOKS, Database
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Query
from tests.running import Person

Shown = dict[str, Any]


async def add_book(person: Person, **body: Any) -> Shown:
    return made(await person.post("/books", {"title": "Dune"} | body), 201)


async def edit(person: Person, book: Shown, **changes: Any) -> Shown:
    return made(await person.patch(f"/books/{book['id']}", changes))


async def book_now(person: Person, book: Shown) -> Shown:
    return made(await person.get(f"/books/{book['id']}"))


async def reach(person: Person, book: Shown, page: int) -> Shown:
    return made(await person.post(f"/books/{book['id']}/page", {"page": page}), 201)


async def add_note(person: Person, book: Shown, content: str = "Sand everywhere") -> Shown:
    return made(await person.post(f"/books/{book['id']}/notes", {"content": content}), 201)


def made(answer: httpx.Response, status: int = 200) -> Shown:
    assert answer.status_code == status, answer.text
    found: Shown = answer.json()
    return found


def wrong(answer: httpx.Response) -> list[str]:
    """The fields that a refusal names."""
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "validation"
    return [error["field"] for error in answer.json()["errors"]]


async def titles(person: Person, path: str = "/books") -> list[str]:
    return [book["title"] for book in made(await person.get(path))["items"]]


async def stored(db: Database, person: Person) -> list[Item]:
    """All that the table has of a reader."""
    partition = f"USER#{person.member_id}"
    return list(await db.all(Query(BOOKS, partition, dict, consistent=True)))
