"""Lists for tests, made the way people make them, and what is sent about them."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx

from homeshelf.accounts import passwords
from tests.running import HOST, RunningApp, Visitor

Shown = dict[str, Any]
VIEW, ADMIN = "seven-view", "seven-admin"
PASSCODES: Mapping[str, Mapping[str, str]] = {
    "open": {},
    "view": {"viewPasscode": VIEW},
    "admin": {"adminPasscode": ADMIN},
    "both": {"viewPasscode": VIEW, "adminPasscode": ADMIN},
}
"""The four situations that a list can be in."""


async def new_list(visitor: Visitor, *names: str, **sent: Any) -> Shown:
    items = [{"name": name} for name in names or ("Tent", "Rope")]
    answer = await visitor.post("/shareables", {"name": "Camping", "items": items, **sent})
    assert answer.status_code == 201, answer.text
    made: Shown = answer.json()
    return made


async def unlock(visitor: Visitor, made: Shown, passcode: str) -> str:
    answer = await visitor.post(f"/shareables/{made['shortId']}/unlock", {"passcode": passcode})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["token"])


def bearing(token: str | None) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {token}"}} if token else {}


async def see(visitor: Visitor, made: Shown, token: str | None = None) -> httpx.Response:
    return await visitor.get(f"/shareables/{made['shortId']}", **bearing(token))


async def seen(visitor: Visitor, made: Shown, token: str | None = None) -> Shown:
    answer = await see(visitor, made, token)
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def names(found: Shown) -> list[str]:
    return [item["name"] for item in found["items"]]


def item_ids(found: Shown) -> list[str]:
    return [item["checklistItemId"] for item in found["items"]]


def somewhere(running: RunningApp, number: int) -> Visitor:
    """Somebody at an address that nobody else has."""
    return running.visitor(f"198.18.{number // 250}.{number % 250 + 1}")


@cache
def hash_of(passcode: str) -> str:
    return passwords.hashed_now(passcode)


async def stream_status(running: RunningApp, path: str, headers: Mapping[str, str]) -> int:
    """What a stream begins with: who asked goes away at once."""
    sent = {"host": HOST, **{name.lower(): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        "client": ("203.0.113.9", 50000),
        "server": (HOST, 80),
    }
    begun, statuses = asyncio.Event(), []
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            begun.set()

    await running.app(scope, receive, send)
    return int(statuses[0])
