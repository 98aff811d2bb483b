"""A family with its members.

    home = await new_home(running, "Lovelace", "ada")
    kid = await home.with_member("kid", "suggester")

All members are signed in and have confirmed addresses. Thousands of tests start with a family, so
it is created without the API; `let_in` uses the API, for existing people.
"""

import json
from dataclasses import dataclass
from typing import Any

import httpx

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import require_account
from homeshelf.coordination.changes import SESSION_ENDED, changes_since
from homeshelf.coordination.transaction import existing
from homeshelf.families import invitations
from homeshelf.families.model import Member, Proof, Role
from homeshelf.families.store import create_family
from homeshelf.notices.model import Notification
from homeshelf.web.json import Json, shown
from homeshelf.web.services import Services
from tests.pages import send
from tests.records import make_record
from tests.running import Person, RunningApp, Visitor

NOBODYS = "0b0d1e5a-7c55-4c1b-9f6e-0d5f1e3f7a10"
"""An id without a record."""


@dataclass(frozen=True)
class Home:
    running: RunningApp
    family: dict[str, Any]
    admin: Person

    @property
    def family_id(self) -> str:
        return str(self.family["familyId"])

    async def with_member(self, name: str, role: Role) -> Person:
        """Add a new person, with the records of an invitation that was accepted by the API."""
        person = await self.running.person(name, verified=True)
        services: Services = self.running.services
        db, asking = services.db, self.admin.member_id
        admin = await existing(db, Member.key(family_id=self.family_id, member_id=asking))
        account = await require_account(db, Account.key(member_id=asking))
        invited = await invitations.invite(db, admin, services, account, person.email, role)
        ticket = Proof(self.family_id, invited.invitation_id, address=person.email)
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

    async def remove_member(self, person: Person) -> None:
        answer = await self.admin.delete(f"/members/{person.member_id}")
        assert answer.status_code == 204, answer.text

    async def member(self, person: Person) -> dict[str, Any]:
        answer = await self.admin.get(f"/members/{person.member_id}")
        assert answer.status_code == 200, answer.text
        member: dict[str, Any] = answer.json()
        return member


async def new_home(running: RunningApp, family_name: str, admin_name: str) -> Home:
    admin = await running.person(admin_name, verified=True)
    family = await create_family(running.db, Account.key(member_id=admin.member_id), family_name)
    return Home(running, json.loads(bytes(Json(shown(family)).body)), admin)


def token_in(invitation: dict[str, Any]) -> str:
    return str(invitation["link"]).rpartition("/")[2]


def ids(answer: httpx.Response, name: str) -> list[str]:
    """Return the ids in a list response."""
    assert answer.status_code == 200, answer.text
    return [item[name] for item in answer.json()["items"]]


WISH = {"type": "create_item", "proposedItemName": "Jam"}


async def add_child(home: Home, name: str = "Alva", **more: Any) -> dict[str, Any]:
    """Return the response: a member and its link."""
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
    found = await store.get_account(running.db, child["memberId"])
    assert found is not None
    return found


async def set_may_tick(
    by: Visitor, child: Person, *, value: bool = True, version: int | None = None
) -> httpx.Response:
    """Allow a child to tick the shopping list, or forbid it."""
    path = f"/members/{child.member_id}"
    known = version or (await by.get(path)).json()["version"]
    return await by.patch(path, {"mayTick": value, "version": known})


async def ended_streams(home: Home, child: dict[str, Any]) -> int:
    """Count the events that told the streams of this child account to check their access."""
    found = await changes_since(home.running.db, home.family_id, None)
    return sum((each.type, each.id) == (SESSION_ENDED, child["memberId"]) for each in found)


@dataclass(frozen=True)
class Kid:
    """A child as the API created it, with its first link."""

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
    """Submit the form of the link's page."""
    return await send(device, f"/sign-in-link/{token}")


async def signed_in_device(running: RunningApp, token: str) -> Visitor:
    device = running.visitor()
    answer = await press(device, token)
    assert answer.status_code == 303, answer.text
    return device


async def add_notices(home: Home, *notices: tuple[str, str]) -> None:
    """Put notices with these statuses and times into the table."""
    records = [
        make_record(
            Notification,
            family_id=home.family_id,
            notification_id=clock.new_id(),
            item_name=f"{number}",
            status=status,
            created_at=at,
        )
        for number, (status, at) in enumerate(notices)
    ]
    await home.running.db.batch([record.put() for record in records])
