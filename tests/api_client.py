"""Requests to the JSON API, for tests to create and read data.

rice = await add_item(home.admin, name="Rice", quantity=3)
pantry = await add_place(home.admin, "locations", "Pantry")
milk = await mark_entry(home.admin, await add_entry(home.admin, name="Milk"), "purchased")
book = await add_book(ada, title="Dune")
everything = await get_all_pages(home.admin, "/items?status=all", limit=4)
"""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI

from homeshelf.coordination.changes import changes_since
from homeshelf.inventory.barcodes import is_valid_barcode
from homeshelf.notices.model import OpenNotice
from homeshelf.shopping.store import pending_entries
from homeshelf.table import BOOKS, Database
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Query
from tests.home import Home
from tests.running import Person

Shown = dict[str, Any]
ID_OF = {"locations": "locationId", "stores": "storeId"}


async def add_item(person: Person, **body: Any) -> Shown:
    answer = await person.post("/items", {"name": "Rice"} | body)
    assert answer.status_code == 201, answer.text
    item: Shown = answer.json()
    return item


async def add_place(person: Person, kind: str, name: str, **body: Any) -> Shown:
    answer = await person.post(f"/{kind}", {"name": name} | body)
    assert answer.status_code == 201, answer.text
    place: Shown = answer.json()
    return place


async def get_item(person: Person, item: Shown) -> Shown:
    answer = await person.get(f"/items/{item['itemId']}")
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def make_barcodes(number: int, first: int = 0) -> list[str]:
    """Return different codes of eight digits with valid check digits."""
    return [
        next(c for d in range(10) if is_valid_barcode(c := f"{first + n:07}{d}"))
        for n in range(number)
    ]


async def adjust(person: Person, item: Shown, delta: int, **options: Any) -> Shown:
    answer = await person.post(f"/items/{item['itemId']}/adjust", {"delta": delta}, **options)
    assert answer.status_code == 200, answer.text
    adjusted: Shown = answer.json()
    return adjusted


async def edit_item(person: Person, item: Shown, **changes: Any) -> Shown:
    """Edit the item at its current version."""
    version = (await get_item(person, item))["version"]
    answer = await person.patch(f"/items/{item['itemId']}", changes | {"version": version})
    assert answer.status_code == 200, answer.text
    edited: Shown = answer.json()
    return edited


async def set_archived(person: Person, item: Shown, verb: str) -> Shown:
    """Archive or unarchive the item: `verb` says which."""
    answer = await person.post(f"/items/{item['itemId']}/{verb}")
    assert answer.status_code == 200, answer.text
    restated: Shown = answer.json()
    return restated


async def get_all_pages(person: Person, path: str, limit: int) -> list[Shown]:
    """Read a list to its end; each page but the last must be full."""
    found: list[Shown] = []
    async for page in get_pages(person, path, limit):
        found += page
    return found


async def get_pages(person: Person, path: str, limit: int) -> AsyncGenerator[list[Shown], None]:
    where = f"{path}{'&' if '?' in path else '?'}limit={limit}"
    token, before = "", None
    while True:
        answer = await person.get(where + (f"&nextToken={token}" if token else ""))
        assert answer.status_code == 200, answer.text
        page: list[Shown] = answer.json()["items"]
        assert page != before, "the same page over and over"
        yield page
        if "nextToken" not in answer.json():
            return
        assert len(page) == limit
        token, before = answer.json()["nextToken"], page


async def get_notices(person: Person, item: Shown, *statuses: str) -> list[Shown]:
    """Return the notices about an item, newest first, of all statuses unless some are given."""
    every = await get_all_pages(person, "/notifications", 100)
    return [
        notice
        for notice in every
        if notice["itemId"] == item["itemId"] and (not statuses or notice["status"] in statuses)
    ]


async def get_open_notice(home: Home, item: Shown) -> Shown | None:
    """Return the unresolved notice about an item, and check that its claim names it."""
    found = await get_notices(home.admin, item, "active", "acknowledged")
    assert len(found) <= 1
    key = OpenNotice.key(family_id=home.family_id, item_id=item["itemId"])
    claim = await home.running.db.get(key)
    assert (claim and claim.holder) == (found[0]["notificationId"] if found else None)
    return found[0] if found else None


async def wait_until(happened: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    """Wait until background work has made the condition true."""
    async with asyncio.timeout(seconds):
        while not await happened():  # noqa: ASYNC110  # the condition has no event
            await asyncio.sleep(0.05)


@asynccontextmanager
async def nothing_changes(home: Home) -> AsyncIterator[None]:
    """Check that the block changes no item, entry, place or notice of the family."""
    before = await _family_state(home)
    yield
    assert await _family_state(home) == before


async def _family_state(home: Home) -> list[list[Shown]]:
    paths = ("/items?status=all", "/shopping-list", "/locations", "/stores", "/notifications")
    return [await get_all_pages(home.admin, path, 100) for path in paths]


def entry_path(entry: Shown, more: str = "") -> str:
    return f"/shopping-list/{entry['shoppingItemId']}{more}"


async def add_entry(person: Person, **body: Any) -> Shown:
    answer = await person.post("/shopping-list", body)
    assert answer.status_code == 201, answer.text
    entry: Shown = answer.json()
    return entry


async def get_entry(person: Person, entry: Shown) -> Shown:
    answer = await person.get(entry_path(entry))
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


async def mark_entry(person: Person, entry: Shown, status: str) -> Shown:
    asked = {"status": status, "version": entry["version"]}
    answer = await person.patch(entry_path(entry, "/status"), asked)
    assert answer.status_code == 200, answer.text
    marked: Shown = answer.json()
    return marked


async def add_purchased_entry(person: Person, **body: Any) -> Shown:
    """Add an entry that is checked off already."""
    return await mark_entry(person, await add_entry(person, **body), "purchased")


async def put_away(person: Person, entry: Shown, **body: Any) -> tuple[Shown, Shown]:
    """Put an entry away and return the entry and its item."""
    asked = body | {"version": entry["version"]}
    answer = await person.post(entry_path(entry, "/put-away"), asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["shoppingItem"], answer.json()["item"]


async def take_back(person: Person, entry: Shown) -> tuple[Shown, Shown]:
    answer = await person.delete(entry_path(entry, "/put-away"), {"version": entry["version"]})
    assert answer.status_code == 200, answer.text
    return answer.json()["shoppingItem"], answer.json()["item"]


async def get_shopping_list(person: Person, question: str = "") -> list[Shown]:
    return await get_all_pages(person, f"/shopping-list{question}", 100)


async def get_pending_entry_ids(home: Home, item: Shown) -> list[str]:
    """Return the entries in the claim of an item, which must be the pending ones."""
    claim = await pending_entries(home.running.db, home.family_id, item["itemId"])
    pending = {
        entry["shoppingItemId"]
        for entry in await get_shopping_list(home.admin)
        if (entry["itemId"], entry["status"]) == (item["itemId"], "pending")
    }
    assert set(claim.members) == pending
    assert len(claim.members) == len(pending)
    return list(claim.members)


async def get_changes(home: Home) -> list[tuple[str, str, int | None]]:
    """Return the change records of the family as (type, id, version)."""
    changes = await changes_since(home.running.db, home.family_id, None)
    return [(change.type, change.id, change.version) for change in changes]


def entry_page_path(entry: Shown, more: str = "") -> str:
    return f"/list/{entry['shoppingItemId']}{more}"


async def add_book(person: Person, **body: Any) -> Shown:
    return parsed_body(await person.post("/books", {"title": "Dune"} | body), 201)


async def edit_book(person: Person, book: Shown, **changes: Any) -> Shown:
    return parsed_body(await person.patch(f"/books/{book['id']}", changes))


async def get_book(person: Person, book: Shown) -> Shown:
    return parsed_body(await person.get(f"/books/{book['id']}"))


async def reach_page(person: Person, book: Shown, page: int) -> Shown:
    return parsed_body(await person.post(f"/books/{book['id']}/page", {"page": page}), 201)


async def add_note(person: Person, book: Shown, content: str = "Sand everywhere") -> Shown:
    return parsed_body(await person.post(f"/books/{book['id']}/notes", {"content": content}), 201)


def parsed_body(answer: httpx.Response, status: int = 200) -> Shown:
    assert answer.status_code == status, answer.text
    found: Shown = answer.json()
    return found


def invalid_fields(answer: httpx.Response) -> list[str]:
    """Return the fields that a validation error names."""
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "validation"
    return [error["field"] for error in answer.json()["errors"]]


async def get_titles(person: Person, path: str = "/books") -> list[str]:
    return [book["title"] for book in parsed_body(await person.get(path))["items"]]


async def get_reader_records(db: Database, person: Person) -> list[Item]:
    """Return all records of a reader."""
    partition = f"USER#{person.member_id}"
    return list(await db.all(Query(BOOKS, partition, dict, consistent=True)))


STREAM_SECONDS = 0.3


@dataclass(frozen=True)
class RawResponse:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def code(self) -> str | None:
        is_problem = self.headers.get("content-type") == "application/problem+json"
        return json.loads(self.text)["code"] if is_problem else None


async def call_app(
    app: FastAPI, method: str, url: str, headers: Mapping[str, str], content: bytes
) -> RawResponse:
    """Call the ASGI app directly; a stream is cut off after a moment."""
    path, _, question = url.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": question.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("203.0.113.9", 50000),
        "server": ("home.test", 80),
    }
    status, answered, text = 0, {}, b""
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status, answered, text
        if message["type"] == "http.response.start":
            status = message["status"]
            answered = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            text += message.get("body", b"")

    try:
        async with asyncio.timeout(STREAM_SECONDS if path.endswith("/events") else 10):
            await app(scope, receive, send)
    except TimeoutError:
        assert answered.get("content-type", "").startswith("text/event-stream")
    if answered.get("content-encoding") == "gzip":
        text = gzip.decompress(text)
    return RawResponse(status, answered, text.decode())


async def get_item_history(home: Home, item: Shown) -> list[tuple[str, int, int]]:
    changes = await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)
    return [(each["source"], each["delta"], each["quantity"]) for each in changes]


async def get_list_now(person: Person) -> Shown:
    answer = await ask_for_list_now(person)
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


SCRIPT_HEADERS = {"Accept": "application/json"}


async def ask_for_list_now(person: Person) -> httpx.Response:
    return await person.client.get("/list/now", headers=SCRIPT_HEADERS)
