"""Children of a family who have no e-mail, and the devices that their links sign in.

alva = await add_child(home)
phone = await signed_in(home.running, token_in(alva))
"""

from typing import Any

import httpx

from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.coordination.changes import SESSION_ENDED, changes_since
from tests.home import Home
from tests.running import RunningApp, Visitor

WISH = {"type": "create_item", "proposedItemName": "Jam"}


async def add_child(home: Home, name: str = "Alva", **more: Any) -> dict[str, Any]:
    """The answer: a member, and the link."""
    answer = await home.admin.post("/members", {"name": name, **more})
    assert answer.status_code == 201, answer.text
    child: dict[str, Any] = answer.json()
    return child


async def new_link(home: Home, child: dict[str, Any], **asked: Any) -> dict[str, Any]:
    answer = await home.admin.post(f"/members/{child['memberId']}/sign-in-link", asked or None)
    assert answer.status_code == 200, answer.text
    link: dict[str, Any] = answer.json()
    return link


async def tried(running: RunningApp, token: str) -> httpx.Response:
    return await running.visitor().post("/tokens/link", {"token": token})


async def signed_in(running: RunningApp, token: str) -> Visitor:
    answer = await tried(running, token)
    assert answer.status_code == 200, answer.text
    device = running.visitor()
    device.bear(answer.json()["accessToken"])
    return device


async def account_of(running: RunningApp, child: dict[str, Any]) -> Account:
    found = await store.account(running.db, child["memberId"])
    assert found is not None
    return found


async def ended_streams(home: Home, child: dict[str, Any]) -> int:
    """How often the streams of a child were told to look whether they may go on."""
    found = await changes_since(home.running.db, home.family_id, None)
    return sum((each.type, each.id) == (SESSION_ENDED, child["memberId"]) for each in found)
