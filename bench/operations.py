"""The main things that a household does, as requests.

Each is asked again and again through whatever answers: a real connection, or the application called
in this process.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle

from bench.rounds import Work
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.taps.model import NFCUrl

Ask = Callable[[str, str, bytes], Awaitable[bytes]]
"""Method, path and body to the content of the answer."""

PAGE = 100


def lists_entries(ask: Ask) -> Work:
    return _lists(ask, f"/api/v1/shopping-list?limit={PAGE}", b'"shoppingItemId"')


def lists_items(ask: Ask, mark: str = "") -> Work:
    """The page at a mark; without one the first."""
    there = f"&nextToken={mark}" if mark else ""
    return _lists(ask, f"/api/v1/items?limit={PAGE}{there}", b'"itemId"')


def adds_text(ask: Ask) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", "/api/v1/shopping-list", b'{"name":"Birthday cake","quantity":1}')

    return work


def adds_new(ask: Ask) -> Work:
    """Something that the house did not have."""
    body = json.dumps({"name": "Paper towels", "quantity": 5, "threshold": 1}).encode()

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", "/api/v1/items", body)

    return work


def adds_item(ask: Ask, items: Sequence[InventoryItem]) -> Work:
    """Another item each time, because one that is on the list already is refused."""
    rest = iter(items)

    async def work(times: int) -> None:
        for _ in range(times):
            body = json.dumps({"itemId": next(rest).item_id}).encode()
            await ask("POST", "/api/v1/shopping-list", body)

    return work


def ticks(ask: Ask, entry: ShoppingListItem) -> Work:
    """Bought, and back on the list."""
    path = f"/api/v1/shopping-list/{entry.shopping_item_id}/status"
    statuses = cycle(("purchased", "pending"))
    version = entry.version

    async def work(times: int) -> None:
        nonlocal version
        for _ in range(times):
            body = {"status": next(statuses), "version": version}
            await ask("PATCH", path, json.dumps(body).encode())
            version += 1

    return work


def adjusts(ask: Ask, item: InventoryItem) -> Work:
    path = f"/api/v1/items/{item.item_id}/adjust"
    bodies = cycle((b'{"delta":1}', b'{"delta":-1}'))

    async def work(times: int) -> None:
        for _ in range(times):
            assert b'"applied":0' not in await ask("POST", path, next(bodies))

    return work


def taps(ask: Ask, tag: NFCUrl) -> Work:
    """Take one and put one back, as a person with the tag does."""
    path = f"/api/v1/taps/{tag.url_id}"
    bodies = cycle((b'{"delta":-1}', b'{"delta":1}'))

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", path, next(bodies))

    return work


def in_rotation(works: Sequence[Work]) -> Work:
    """Return work that runs one of these after the other, so that no target repeats at once."""
    turns = cycle(works)

    async def work(times: int) -> None:
        for _ in range(times):
            await next(turns)(1)

    return work


def opens(ask: Ask, path: str) -> Work:
    """A page, or anything else that is only read."""

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("GET", path, b"")

    return work


def _lists(ask: Ask, path: str, mark: bytes) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            assert (await ask("GET", path, b"")).count(mark) == PAGE

    return work
