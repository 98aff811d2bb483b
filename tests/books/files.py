"""A shelf out into a file, and a file onto a shelf, through the API."""

import httpx

from tests.bookcase import Shown, made
from tests.cupboard import eventually
from tests.house import Person

CSV, JSON = {"content-type": "text/csv"}, {"content-type": "application/json"}


async def send(
    person: Person, content: str | bytes, headers: dict[str, str], question: str = ""
) -> httpx.Response:
    body = content.encode() if isinstance(content, str) else content
    path = f"/api/v1/books/import{question}"
    return await person.client.post(path, content=body, headers=headers)


async def imported(person: Person, content: str | bytes, headers: dict[str, str]) -> Shown:
    begun = made(await send(person, content, headers), 202)
    path = f"/books/imports/{begun['importId']}"

    async def is_done() -> bool:
        now = made(await person.get(path))
        return bool(now["done"] == now["total"])

    await eventually(is_done)
    return made(await person.get(path))


async def exported(person: Person, format_: str) -> bytes:
    answer = await person.get(f"/books/export?format={format_}")
    assert answer.status_code == 200
    return answer.content
