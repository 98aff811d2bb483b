"""Children without an e-mail, on pages: theirs among those of their parents, and their link's."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.children import add_child
from tests.home import Home, token_in
from tests.pages import send
from tests.running import RunningApp, Visitor


@dataclass(frozen=True)
class Kid:
    """As the API made it, with its first link."""

    made: dict[str, Any]

    @property
    def member_id(self) -> str:
        return str(self.made["memberId"])

    @property
    def token(self) -> str:
        return token_in(self.made)

    def path(self, more: str = "") -> str:
        return f"/family/children/{self.member_id}{more}"


async def add_kid(home: Home, name: str = "Alva", picture: str = "🦊") -> Kid:
    return Kid(await add_child(home, name, picture=picture))


async def press(device: Visitor, token: str) -> httpx.Response:
    """The button of the link's page."""
    return await send(device, f"/sign-in-link/{token}")


async def signed_in_device(running: RunningApp, token: str) -> Visitor:
    device = running.visitor()
    answer = await press(device, token)
    assert answer.status_code == 303, answer.text
    return device
