"""Operations of a household as requests, each as a function that repeats it.

The requests go through `ask`: a real connection, or the application in this process.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle

from bench.rounds import Work
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.taps.model import NFCUrl

Ask = Callable[[str, str, bytes], Awaitable[bytes]]
"""Sends a request, given its method, path and body, and returns the content of the response."""

PAGE = 100


def list_entries(ask: Ask) -> Work:
    return _list_page(ask, f"/api/v1/shopping-list?limit={PAGE}", b'"shoppingItemId"')


def list_items(ask: Ask, next_token: str = "") -> Work:
    """List the page of a token, or the first one."""
    token = f"&nextToken={next_token}" if next_token else ""
    return _list_page(ask, f"/api/v1/items?limit={PAGE}{token}", b'"itemId"')


def add_text_entries(ask: Ask) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", "/api/v1/shopping-list", b'{"name":"Birthday cake","quantity":1}')

    return work


def add_new_items(ask: Ask) -> Work:
    """Add items that are not in the stock."""
    body = json.dumps({"name": "Paper towels", "quantity": 5, "threshold": 1}).encode()

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", "/api/v1/items", body)

    return work


def add_item_entries(ask: Ask, items: Sequence[InventoryItem]) -> Work:
    """Add another item each time, because a listed item is refused."""
    rest = iter(items)

    async def work(times: int) -> None:
        for _ in range(times):
            body = json.dumps({"itemId": next(rest).item_id}).encode()
            await ask("POST", "/api/v1/shopping-list", body)

    return work


def tick_entry(ask: Ask, entry: ShoppingListItem) -> Work:
    """Mark an entry as bought, then as pending, in turn."""
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


def adjust_item(ask: Ask, item: InventoryItem) -> Work:
    path = f"/api/v1/items/{item.item_id}/adjust"
    bodies = cycle((b'{"delta":1}', b'{"delta":-1}'))

    async def work(times: int) -> None:
        for _ in range(times):
            assert b'"applied":0' not in await ask("POST", path, next(bodies))

    return work


def tap_tag(ask: Ask, tag: NFCUrl) -> Work:
    """Take one and put one back in turn, like a person at the tag."""
    path = f"/api/v1/taps/{tag.url_id}"
    bodies = cycle((b'{"delta":-1}', b'{"delta":1}'))

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("POST", path, next(bodies))

    return work


def rotate(works: Sequence[Work]) -> Work:
    """Return work that runs each of these works in turn."""
    turns = cycle(works)

    async def work(times: int) -> None:
        for _ in range(times):
            await next(turns)(1)

    return work


def open_page(ask: Ask, path: str) -> Work:
    """Get a page or another resource."""

    async def work(times: int) -> None:
        for _ in range(times):
            await ask("GET", path, b"")

    return work


def _list_page(ask: Ask, path: str, next_token: bytes) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            assert (await ask("GET", path, b"")).count(next_token) == PAGE

    return work
