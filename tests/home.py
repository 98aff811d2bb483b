"""A family with people in it.

    home = await new_home(running, "Lovelace", "ada")
    kid = await home.with_member("kid", "suggester")

Everybody in it is signed in, and their addresses are theirs for sure. Who joins does so through the
API; the family itself is founded without it, which thousands of tests begin with.
"""

import json
from dataclasses import dataclass
from typing import Any

import httpx

from homeshelf.families.store import found_family
from homeshelf.web.json import Json, shown
from tests.running import Person, RunningApp

NOBODYS = "0b0d1e5a-7c55-4c1b-9f6e-0d5f1e3f7a10"
"""An id that names nothing."""


@dataclass(frozen=True)
class Home:
    running: RunningApp
    family: dict[str, Any]
    admin: Person

    @property
    def family_id(self) -> str:
        return str(self.family["familyId"])

    async def with_member(self, name: str, role: str) -> Person:
        person = await self.running.person(name, verified=True)
        await self.let_in(person, role)
        return person

    async def let_in(self, person: Person, role: str) -> None:
        invitation = await self.invite(person.email, role)
        joined = await person.post("/invitations/accept", {"token": token_in(invitation)})
        assert joined.status_code == 200, joined.text

    async def invite(self, email: str, role: str = "suggester") -> dict[str, Any]:
        answer = await self.admin.post("/invitations", {"email": email, "role": role})
        assert answer.status_code == 201, answer.text
        invitation: dict[str, Any] = answer.json()
        return invitation

    async def send_away(self, person: Person) -> None:
        answer = await self.admin.delete(f"/members/{person.member_id}")
        assert answer.status_code == 204, answer.text

    async def member(self, person: Person) -> dict[str, Any]:
        answer = await self.admin.get(f"/members/{person.member_id}")
        assert answer.status_code == 200, answer.text
        member: dict[str, Any] = answer.json()
        return member


async def new_home(running: RunningApp, family_name: str, admin_name: str) -> Home:
    admin = await running.person(admin_name, verified=True)
    family = await found_family(running.db, admin.member_id, family_name)
    return Home(running, json.loads(bytes(Json(shown(family)).body)), admin)


def token_in(invitation: dict[str, Any]) -> str:
    return str(invitation["link"]).rpartition("/")[2]


def ids(answer: httpx.Response, name: str) -> list[str]:
    """What a list holds, by the name of its ids."""
    assert answer.status_code == 200, answer.text
    return [item[name] for item in answer.json()["items"]]
