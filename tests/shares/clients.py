"""Helpers for tests of shared lists: lists made through the API, and browsers that open them."""

import asyncio
import re
from collections.abc import Mapping
from functools import cache
from html import unescape
from typing import Any

import httpx

from homeshelf.accounts import passwords
from homeshelf.shares.checklist.model import NewItem
from homeshelf.shares.list_creation import create
from homeshelf.shares.model import ListContent, Passcodes, Role, Shareable
from homeshelf.shares.store import ListWithItems, find_shareable, load_list
from tests.running import HOST, Person, RunningApp, Visitor

Shown = dict[str, Any]
VIEW, ADMIN = "seven-view", "seven-admin"
PASSCODES: Mapping[str, Mapping[str, str]] = {
    "open": {},
    "view": {"viewPasscode": VIEW},
    "admin": {"adminPasscode": ADMIN},
    "both": {"viewPasscode": VIEW, "adminPasscode": ADMIN},
}
"""The four combinations of passcodes."""


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


def bearer_headers(token: str | None) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {token}"}} if token else {}


async def see(visitor: Visitor, made: Shown, token: str | None = None) -> httpx.Response:
    return await visitor.get(f"/shareables/{made['shortId']}", **bearer_headers(token))


async def seen(visitor: Visitor, made: Shown, token: str | None = None) -> Shown:
    answer = await see(visitor, made, token)
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def names(found: Shown) -> list[str]:
    return [item["name"] for item in found["items"]]


def item_ids(found: Shown) -> list[str]:
    return [item["checklistItemId"] for item in found["items"]]


def visitor_from(running: RunningApp, number: int) -> Visitor:
    return running.visitor(f"198.18.{number // 250}.{number % 250 + 1}")


@cache
def hash_of(passcode: str) -> str:
    return passwords.hash_password_blocking(passcode)


async def request_stream_status(running: RunningApp, path: str, headers: Mapping[str, str]) -> int:
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


OURS = {"Origin": "http://home.test", "Accept": "text/html"}


class Guest:
    """A browser with its own cookies, signed in or anonymous."""

    def __init__(self, running: RunningApp, who: Person | None = None, **more: Any) -> None:
        self.running = running
        self.client = running.visitor(**more).client
        if who is not None:
            token = running.signer.token("web", 3600, sub=who.member_id, sid=who.session_id)
            self._set_cookie("homeshelf", token)

    async def get(self, path: str) -> httpx.Response:
        return await self.client.get(path, headers=OURS)

    async def post(self, path: str, **form: str) -> httpx.Response:
        return await self.client.post(path, data=form, headers=OURS)

    def unlock_with(self, shared: Shareable, role: Role) -> "Guest":
        lists = {shared.short_id: [role, shared.passcode_version(role)]}
        token = self.running.signer.token("share-cookie", 3600, lists=lists)
        self._set_cookie("homeshelf-lists", token)
        return self

    def _set_cookie(self, name: str, value: str) -> None:
        self.client.cookies.set(name, value, domain="home.test", path="/")


async def store_list(
    running: RunningApp,
    *names: str,
    view: str | None = None,
    admin: str | None = None,
    maker: str | None = None,
    **content: Any,
) -> ListWithItems:
    items = tuple(NewItem(name) for name in names)
    whole = ListContent(**({"name": "Camping", "items": items} | content))
    return await create(
        running.db,
        whole,
        Passcodes(_hash_or_none(view), _hash_or_none(admin)),
        maker,
    )


async def now(running: RunningApp, made: ListWithItems) -> ListWithItems | None:
    found = await find_shareable(running.db, made.shared.short_id)
    return None if found is None else await load_list(running.db, found)


def path_of(made: ListWithItems, after: str = "") -> str:
    return f"/s/{made.shared.short_id}{after}"


def names_of(found: ListWithItems | None) -> list[str]:
    assert found is not None
    return [item.name for item in found.items]


def page_text(answer: httpx.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


async def list_from_redirect(running: RunningApp, answer: httpx.Response) -> ListWithItems:
    assert answer.status_code == 303, answer.text
    found = re.fullmatch(r"/s/(\w{3}-\w{3}-\d{5})/share\?said=new", answer.headers["location"])
    assert found
    shared = await find_shareable(running.db, found[1])
    assert shared is not None
    return await load_list(running.db, shared)


@cache
def hash_passcode(passcode: str) -> str:
    return passwords.hash_password_blocking(passcode)


def _hash_or_none(passcode: str | None) -> str | None:
    return None if passcode is None else hash_passcode(passcode)


def input_values(answer: httpx.Response, name: str) -> list[str]:
    return [unescape(found) for found in re.findall(rf'name="{name}" value="([^"]*)"', answer.text)]
