"""People who use a server that is killed, and continue at the address of the next one.

ada = await sign_up(url, "ada")
answer = await ada.post("/items", {"name": "Rice"}, key="k")
await ada.move_to(another_url)
"""

from contextlib import suppress
from typing import Any

import httpx

from homeshelf import clock
from tests.running import PASSWORD, Visitor

ANSWERED_SECONDS = 30
HIGH_LIMITS = {
    "HOMESHELF_LIMIT_IMPORTS": "100000/s",
    "HOMESHELF_LIMIT_LINKS": "100000/s",
    "HOMESHELF_LIMIT_SHARES": "100000/s",
    "HOMESHELF_LIMIT_SHARES_SIZE": "1000MB/s",
    "HOMESHELF_LIMIT_SHARES_SIZE_HOUSE": "1000MB/s",
    "HOMESHELF_LIMIT_SHARE_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SHARE_WRITES_LIST": "100000/s",
    "HOMESHELF_LIMIT_SIGNED_IN": "100000/s",
    "HOMESHELF_LIMIT_SIGNUPS": "100000/s",
    "HOMESHELF_LIMIT_TAPS": "100000/s",
    "HOMESHELF_LIMIT_TAPS_DAY": "100000/s",
    "HOMESHELF_LIMIT_UNLOCKED": "100000/s",
    "HOMESHELF_LIMIT_WRITES": "100000/s",
    "HOMESHELF_LIMIT_WRITES_SIZE": "1000MB/s",
}
"""Settings with limits that are never reached."""


class SimulatedPerson(Visitor):
    def __init__(self, url: str) -> None:
        super().__init__(_client(url))
        self.email = f"{clock.new_id()}@home.local"
        self.member_id = ""

    async def sign_in(self) -> None:
        """Sign in again, because a token lasts a quarter of an hour."""
        answer = await self.post("/tokens", {"email": self.email, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        self.bear(answer.json()["accessToken"])

    async def move_to(self, url: str) -> None:
        """Use the new address of the server, with the same session."""
        headers = self.client.headers
        await self.leave()
        self.client = _client(url)
        self.client.headers = headers

    def second_device(self) -> "SimulatedPerson":
        other = SimulatedPerson(str(self.client.base_url))
        other.email, other.member_id = self.email, self.member_id
        other.client.headers = self.client.headers.copy()
        return other

    async def leave(self) -> None:
        with suppress(httpx.TransportError):
            await self.client.aclose()


async def sign_up(url: str, name: str) -> SimulatedPerson:
    person = SimulatedPerson(url)
    asked = {"email": person.email, "password": PASSWORD, "name": name}
    answer = await person.post("/accounts", asked)
    assert answer.status_code == 201, answer.text
    person.member_id = answer.json()["memberId"]
    await person.sign_in()
    return person


async def invite_and_accept(admin: SimulatedPerson, guest: SimulatedPerson, role: str) -> None:
    asked = {"email": guest.email, "role": role}
    link: str = json_of_success(await admin.post("/invitations", asked))["link"]
    json_of_success(await guest.post("/invitations/accept", {"token": link.rpartition("/")[2]}))


def json_of_success(answer: httpx.Response) -> Any:
    assert answer.is_success, f"{answer.request.method} {answer.request.url}: {answer.text}"
    return answer.json() if answer.content else None


def _client(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, timeout=ANSWERED_SECONDS, trust_env=False)
