"""Putting things into a household's cupboard, and looking at what is there, through the API.

rice = await add_item(home.admin, name="Rice", quantity=3)
pantry = await add_place(home.admin, "locations", "Pantry")
everything = await every_page(home.admin, "/items?status=all", limit=4)
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from homeshelf.inventory.barcodes import is_right
from homeshelf.notices.model import OpenNotice
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


async def item_now(person: Person, item: Shown) -> Shown:
    answer = await person.get(f"/items/{item['itemId']}")
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def some_barcodes(number: int, first: int = 0) -> list[str]:
    """Codes of eight digits that are right, each another."""
    return [
        next(c for d in range(10) if is_right(c := f"{first + n:07}{d}")) for n in range(number)
    ]


async def adjust(person: Person, item: Shown, delta: int, **options: Any) -> Shown:
    answer = await person.post(f"/items/{item['itemId']}/adjust", {"delta": delta}, **options)
    assert answer.status_code == 200, answer.text
    adjusted: Shown = answer.json()
    return adjusted


async def edit(person: Person, item: Shown, **changes: Any) -> Shown:
    """At the version that the item has now."""
    version = (await item_now(person, item))["version"]
    answer = await person.patch(f"/items/{item['itemId']}", changes | {"version": version})
    assert answer.status_code == 200, answer.text
    edited: Shown = answer.json()
    return edited


async def restate(person: Person, item: Shown, verb: str) -> Shown:
    """`archive` or `unarchive`."""
    answer = await person.post(f"/items/{item['itemId']}/{verb}")
    assert answer.status_code == 200, answer.text
    restated: Shown = answer.json()
    return restated


async def every_page(person: Person, path: str, limit: int) -> list[Shown]:
    """All that a list holds; each page but the last must be full."""
    found: list[Shown] = []
    async for page in pages(person, path, limit):
        found += page
    return found


async def pages(person: Person, path: str, limit: int) -> AsyncGenerator[list[Shown], None]:
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


async def notices_about(person: Person, item: Shown, *statuses: str) -> list[Shown]:
    """Newest first; of all statuses unless some are named."""
    every = await every_page(person, "/notifications", 100)
    return [
        notice
        for notice in every
        if notice["itemId"] == item["itemId"] and (not statuses or notice["status"] in statuses)
    ]


async def open_notice(home: Home, item: Shown) -> Shown | None:
    """The one unresolved notice, if there is one. The claim on it must say the same."""
    found = await notices_about(home.admin, item, "active", "acknowledged")
    assert len(found) <= 1
    key = OpenNotice.key(family_id=home.family_id, item_id=item["itemId"])
    claim = await home.running.db.get(key)
    assert (claim and claim.holder) == (found[0]["notificationId"] if found else None)
    return found[0] if found else None


async def eventually(happened: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    """Wait for what is done in the background."""
    async with asyncio.timeout(seconds):
        while not await happened():  # noqa: ASYNC110  # nobody tells us
            await asyncio.sleep(0.05)


@asynccontextmanager
async def nothing_changes(home: Home) -> AsyncIterator[None]:
    """Whatever is tried inside, the family has what it had."""
    before = await _all_that_is_there(home)
    yield
    assert await _all_that_is_there(home) == before


async def _all_that_is_there(home: Home) -> list[list[Shown]]:
    paths = ("/items?status=all", "/locations", "/stores", "/notifications")
    return [await every_page(home.admin, path, 100) for path in paths]
