"""People with browsers who were handed a list, and lists to hand to them.

guest = Guest(running)
made = await handed(running, "Tent", "Rope", view="tent1")
answer = await guest.post(f"/s/{made.shared.short_id}/unlock", passcode="tent1")
"""

import re
from functools import cache
from html import unescape
from typing import Any

import httpx

from homeshelf.accounts import passwords
from homeshelf.shares.making import create
from homeshelf.shares.model import ListContent, NewItem, Passcodes, Role, Shareable
from homeshelf.shares.store import OpenList, opened, shareable
from tests.running import Person, RunningApp

OURS = {"Origin": "http://home.test", "Accept": "text/html"}


class Guest:
    """A browser with cookies of its own; of nobody, or of somebody who is signed in."""

    def __init__(self, running: RunningApp, who: Person | None = None, **more: Any) -> None:
        self.running = running
        self.client = running.visitor(**more).client
        if who is not None:
            token = running.signer.token("web", 3600, sub=who.member_id, sid=who.session_id)
            self._keep("homeshelf", token)

    async def get(self, path: str) -> httpx.Response:
        return await self.client.get(path, headers=OURS)

    async def post(self, path: str, **form: str) -> httpx.Response:
        return await self.client.post(path, data=form, headers=OURS)

    def holds(self, shared: Shareable, role: Role) -> "Guest":
        """As if they had shown that passcode."""
        lists = {shared.short_id: [role, shared.passcode_version(role)]}
        token = self.running.signer.token("share-cookie", 3600, lists=lists)
        self._keep("homeshelf-lists", token)
        return self

    def _keep(self, name: str, value: str) -> None:
        self.client.cookies.set(name, value, domain="home.test", path="/")


async def handed(
    running: RunningApp,
    *names: str,
    view: str | None = None,
    admin: str | None = None,
    maker: str | None = None,
    **content: Any,
) -> OpenList:
    items = tuple(NewItem(name) for name in names)
    whole = ListContent(**({"name": "Camping", "items": items} | content))
    return await create(running.db, whole, Passcodes(_hashed(view), _hashed(admin)), maker)


async def now(running: RunningApp, made: OpenList) -> OpenList | None:
    found = await shareable(running.db, made.shared.short_id)
    return None if found is None else await opened(running.db, found)


def path_of(made: OpenList, after: str = "") -> str:
    return f"/s/{made.shared.short_id}{after}"


def names_of(found: OpenList | None) -> list[str]:
    assert found is not None
    return [item.name for item in found.items]


def said(answer: httpx.Response) -> str:
    """What a page says, without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


async def made_of(running: RunningApp, answer: httpx.Response) -> OpenList:
    """The list that a form has made."""
    assert answer.status_code == 303, answer.text
    found = re.fullmatch(r"/s/(\w{3}-\w{3}-\d{5})/share\?said=new", answer.headers["location"])
    assert found
    shared = await shareable(running.db, found[1])
    assert shared is not None
    return await opened(running.db, shared)


@cache
def _hash(passcode: str) -> str:
    return passwords.hashed_now(passcode)


def _hashed(passcode: str | None) -> str | None:
    return None if passcode is None else _hash(passcode)


def attribute(answer: httpx.Response, name: str) -> list[str]:
    """What stands in the fields of that name."""
    return [unescape(found) for found in re.findall(rf'name="{name}" value="([^"]*)"', answer.text)]
