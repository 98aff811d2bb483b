"""A shelf out into a file, and a file onto a shelf, through the API."""

from typing import Any

import httpx

from tests.api_client import Shown, add_book, add_note, parsed_body, reach_page, wait_until
from tests.running import Person

CSV, JSON = {"content-type": "text/csv"}, {"content-type": "application/json"}


async def send(
    person: Person, content: str | bytes, headers: dict[str, str], question: str = ""
) -> httpx.Response:
    body = content.encode() if isinstance(content, str) else content
    path = f"/api/v1/books/import{question}"
    return await person.client.post(path, content=body, headers=headers)


async def imported(person: Person, content: str | bytes, headers: dict[str, str]) -> Shown:
    begun = parsed_body(await send(person, content, headers), 202)
    path = f"/books/imports/{begun['importId']}"

    async def is_done() -> bool:
        now = parsed_body(await person.get(path))
        return bool(now["done"] == now["total"])

    await wait_until(is_done)
    return parsed_body(await person.get(path))


async def exported(person: Person, format_: str) -> bytes:
    answer = await person.get(f"/books/export?format={format_}")
    assert answer.status_code == 200
    return answer.content


async def full_shelf(person: Person) -> None:
    everything: dict[str, Any] = {
        "title": '=HYPERLINK("x"), "quoted" \u05e9\u05dc\u05d5\u05dd 🐫',
        "status": "READ",
        "author": "'tis, +1",
        "isbn": "9780441478125",
        "description": "@a\n\r\n-b",
        "rating": 4.5,
        "currentPage": 3,
        "totalPages": 286,
        "price": 12.99,
        "currency": "EUR",
        "store": "-Corner",
        "purchaseDate": "2024-02-29",
        "boughtAt": "\u200fright to left",
        "finishedAt": "2024-03-09",
    }
    book = await add_book(person, **everything)
    for page in (1, 5, 2):
        await reach_page(person, book, page)
    for content in ("one", '\'two, "three"', "=4"):
        await add_note(person, book, content)
    for title in ("Emma", "Waves"):
        await reach_page(person, await add_book(person, title=title), 7)
    await person.patch("/books/settings", {"yearlyGoal": 12})


async def timeline(person: Person, book: Shown) -> list[Shown]:
    items: list[Shown] = parsed_body(await person.get(f"/books/{book['id']}/events"))["items"]
    return items
