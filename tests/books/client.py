"""Helpers for tests of books: API calls, file imports, and readers of a server process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from homeshelf.table import Database
from tests.api_client import (
    Shown,
    add_book,
    add_note,
    get_reader_records,
    parsed_body,
    reach_page,
    wait_until,
)
from tests.pages import OURS
from tests.processes import Served
from tests.queues import todos_of
from tests.running import Person

CSV, JSON = {"content-type": "text/csv"}, {"content-type": "application/json"}


async def send(
    person: Person, content: str | bytes, headers: dict[str, str], question: str = ""
) -> httpx.Response:
    body = content.encode() if isinstance(content, str) else content
    path = f"/api/v1/books/import{question}"
    return await person.client.post(path, content=body, headers=headers)


async def import_shelf(person: Person, content: str | bytes, headers: dict[str, str]) -> Shown:
    begun = parsed_body(await send(person, content, headers), 202)
    path = f"/books/imports/{begun['importId']}"

    async def is_done() -> bool:
        now = parsed_body(await person.get(path))
        return bool(now["done"] == now["total"])

    await wait_until(is_done)
    return parsed_body(await person.get(path))


async def export_shelf(person: Person, format_: str) -> bytes:
    answer = await person.get(f"/books/export?format={format_}")
    assert answer.status_code == 200
    return answer.content


async def fill_shelf(person: Person) -> None:
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


async def get_events(person: Person, book: Shown) -> list[Shown]:
    items: list[Shown] = parsed_body(await person.get(f"/books/{book['id']}/events"))["items"]
    return items


LARGE = 20_000_000
"""The size of the largest accepted file, in bytes."""


def peak_memory(homeshelf: Served) -> int:
    status = Path(f"/proc/{_worker_pid(homeshelf.process.pid)}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _worker_pid(pid: int) -> int:
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


@asynccontextmanager
async def signed_up_client(homeshelf: Served, name: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{homeshelf.url}/api/v1", timeout=30) as client:
        known = {"email": f"{name}@home.local", "password": "long enough to be one"}
        assert (await client.post("/accounts", json=known | {"name": name})).status_code == 201
        token = (await client.post("/tokens", json=known)).json()["accessToken"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


FULL_BOOK: Shown = {
    "title": "The Left Hand of Darkness",
    "status": "READ",
    "author": "Ursula K. Le Guin",
    "isbn": "0441478123",
    "description": "Winter.",
    "rating": 4.5,
    "currentPage": 286,
    "totalPages": 286,
    "price": 12.99,
    "currency": "eur",
    "store": "Corner Books",
    "purchaseDate": "2024-02-29",
    "boughtAt": "on the way home",
    "finishedAt": "2024-03-09",
}


async def get_page(person: Person, path: str) -> str:
    answer = await person.client.get(f"/books{path}", headers=OURS)
    assert answer.status_code == 200, answer.text
    return answer.text


async def send_form(person: Person, path: str, **typed: Any) -> httpx.Response:
    return await person.client.post(f"/books{path}", data=typed, headers=OURS)


async def submit_form(person: Person, path: str, **typed: Any) -> str:
    answer = await send_form(person, path, **typed)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


async def is_reader_gone(db: Database, person: Person) -> bool:
    return await get_reader_records(db, person) == [] and await todos_of(db) == []
