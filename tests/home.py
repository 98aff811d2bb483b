"""A family with people in it.

    home = await new_home(running, "Lovelace", "ada")
    kid = await home.with_member("kid", "suggester")

Everybody in it is signed in, and their addresses are theirs for sure. Thousands of tests begin with
that, so it goes past the API; `let_in` does not, for whoever is there already.
"""

import json
from dataclasses import dataclass
from typing import Any

import httpx

from homeshelf.accounts.model import Account
from homeshelf.accounts.store import require_account
from homeshelf.coordination.transaction import existing
from homeshelf.families import invitations
from homeshelf.families.model import Member, Role, Ticket
from homeshelf.families.store import found_family
from homeshelf.web.json import Json, shown
from homeshelf.web.services import Services
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

    async def with_member(self, name: str, role: Role) -> Person:
        """Somebody new, who is invited and accepts as by the API, without its requests."""
        person = await self.running.person(name, verified=True)
        services: Services = self.running.app.state.services
        db, asking = services.db, self.admin.member_id
        admin = await existing(db, Member.key(family_id=self.family_id, member_id=asking))
        account = await require_account(db, Account.key(member_id=asking))
        invited = await invitations.invite(db, admin, services, account, person.email, role)
        ticket = Ticket(self.family_id, invited.invitation_id, address=person.email)
        await invitations.accept(db, person.member_id, ticket)
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
    family = await found_family(running.db, Account.key(member_id=admin.member_id), family_name)
    return Home(running, json.loads(bytes(Json(shown(family)).body)), admin)


def token_in(invitation: dict[str, Any]) -> str:
    return str(invitation["link"]).rpartition("/")[2]


def ids(answer: httpx.Response, name: str) -> list[str]:
    """What a list holds, by the name of its ids."""
    assert answer.status_code == 200, answer.text
    return [item[name] for item in answer.json()["items"]]
