"""Clients that share lists with and without a passcode, small and large, in random order."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import httpx

from tests.torture.people import SimulatedPerson, json_of_success
from tests.torture.recorder import (
    Client,
    Facts,
    PartlyKnown,
    RequestedChange,
    ServerKilled,
    Shown,
    Way,
)

LISTS, MANY = 5, 120


class Sharer(Client):
    def __init__(self, person: SimulatedPerson, dice: Random) -> None:
        super().__init__(person, dice)
        self.guest = SimulatedPerson(str(person.client.base_url))
        """An anonymous client, as the receiver of a list is."""
        self._passcodes: dict[str, str] = {}
        self._tokens: dict[str, str] = {}

    def possible_actions(self) -> Iterator[Way]:
        lists = self.own_records("shareables")
        if len(lists) < LISTS:
            yield from (self.make, self.make_long)
        if lists:
            yield from [self.add_item, self.tick, self.edit_item, self.reorder] * 2
            yield from (self.remove_item, self.rename, self.set_passcode)
        if len(lists) > 2:
            yield from (self.clone, self.remove)

    async def make(self) -> None:
        await self._make(self.dice.randrange(5))

    async def make_long(self) -> None:
        await self._make(MANY)

    async def add_item(self) -> None:
        shared, name = self._one()
        body = {"name": self.new_word(), "note": self.new_word()}

        def facts(item: Shown) -> Facts:
            return {name: _next_version(shared, [*shared["items"], item])}

        await self._manage("POST", name, "/items", body, facts)

    async def edit_item(self) -> None:
        await self._change_item({"name": self.new_word()}, revises=1)

    async def tick(self) -> None:
        """Tick an entry as any receiver of the list."""
        body = {"checked": self.dice.random() < 0.7, "checkedBy": self.new_word()}
        await self._change_item(body, revises=0)

    async def remove_item(self) -> None:
        shared, name = self._one()
        if shared["items"]:
            gone = self.dice.choice(shared["items"])
            facts = {name: _next_version(shared, [it for it in shared["items"] if it != gone])}
            path = f"/items/{gone['checklistItemId']}"
            await self._manage("DELETE", name, path, None, lambda _: facts)

    async def reorder(self) -> None:
        """Reorder the list; a move of many entries continues in the background."""
        shared, name = self._one()
        ids = [item["checklistItemId"] for item in shared["items"]]
        if len(ids) > 1:
            body = {"checklistItemIds": self.dice.sample(ids, len(ids))}
            await self._manage("PUT", name, "/order", body, self._made, is_kept_at=len(ids) > 90)

    async def rename(self) -> None:
        shared, name = self._one()
        body = {"name": self.new_word(), "expiresInDays": self.dice.randrange(1, 300)}
        await self._change_list(name, body | {"version": shared["version"]})

    async def set_passcode(self) -> None:
        """Set the passcode that managing requires, or remove it."""
        shared, name = self._one()
        passcode = None if name in self._passcodes else self.new_word()
        await self._change_list(name, {"adminPasscode": passcode, "version": shared["version"]})

    async def clone(self) -> None:
        """Clone a public list as a signed-in person without a passcode."""
        _shared, name = self._one()
        if name not in self._passcodes:
            body = {"name": self.new_word()}
            await self.change("POST", f"/{name}/clone", body, self._made, makes=("shareables",))

    async def remove(self) -> None:
        _shared, name = self._one()
        await self._manage("DELETE", name, "", None, lambda _: {name: None})

    async def read_facts(self) -> Facts:
        """Return all lists as an anonymous client sees them."""
        mine = await self.read("/me/shareables?limit=100")
        names = [f"shareables/{each['shortId']}" for each in mine["items"]]
        found = {
            name: lasting_list(json_of_success(await self.guest.get(f"/{name}"))) for name in names
        }
        for name, passcode in self._passcodes.items():
            if name in found and name not in (self.doubt.touched if self.doubt else ()):
                body = {"passcode": passcode}
                unlocked = json_of_success(await self.guest.post(f"/{name}/unlock", body))
                assert unlocked["access"] == "admin", "a passcode is lost"
                self._tokens[name] = unlocked["token"]
        return found

    def devices(self) -> Iterator[SimulatedPerson]:
        yield from (self.person, self.guest)

    async def _make(self, size: int) -> None:
        items = [{"name": self.new_word()} for _ in range(size)]
        body = {"name": self.new_word(), "items": items}
        await self.change("POST", "/shareables", body, self._made, makes=("shareables",))

    def _made(self, shared: Shown) -> Facts:
        return {f"shareables/{shared['shortId']}": lasting_list(shared)}

    async def _change_item(self, body: Shown, revises: int) -> None:
        shared, name = self._one()
        if not shared["items"]:
            return
        old = self.dice.choice(shared["items"])

        def facts(new: Shown) -> Facts:
            items = [new if it == old else it for it in shared["items"]]
            return {name: _next_version(shared, items, revises)}

        await self._manage("PATCH", name, f"/items/{old['checklistItemId']}", body, facts)

    async def _change_list(self, name: str, body: Shown) -> None:
        def facts(shared: Shown) -> Facts:
            if "adminPasscode" in body:
                self._passcodes.pop(name, None)
                self._tokens.pop(name, None)
            if body.get("adminPasscode") is not None:
                self._passcodes[name] = body["adminPasscode"]
                self._tokens[name] = shared["token"]
            return {name: lasting_list(shared)}

        await self._manage("PATCH", name, "", body, facts, is_kept_at="adminPasscode" in body)

    async def _manage(
        self, method: str, name: str, more: str, body: Any, facts: Any, **rest: Any
    ) -> None:
        token = self._tokens.get(name)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        path, touched = f"/{name}{more}", (name,)
        await self.ask(
            RequestedChange(self.guest, method, path, body, facts, touched, headers=headers, **rest)
        )

    def _one(self) -> tuple[Shown, str]:
        shared = self.dice.choice(self.own_records("shareables"))
        return shared, f"shareables/{shared['shortId']}"


def lasting_list(shared: Shown) -> Shown:
    """Return the list with its items sorted, without their order numbers."""
    return shared | {"items": [_without_order(item) for item in shared["items"]]}


def _without_order(item: Shown) -> Shown:
    return {name: value for name, value in item.items() if name != "order"}


def _next_version(shared: Shown, items: list[Shown], revises: int = 1) -> Shown:
    return lasting_list(shared | {"items": items, "version": shared["version"] + revises})


INVITED, CHILDREN = 60, 25


class Host(Client):
    def __init__(
        self,
        person: SimulatedPerson,
        guests: Sequence[SimulatedPerson],
        family_id: str,
        dice: Random,
    ) -> None:
        super().__init__(person, dice)
        self.family: tuple[SimulatedPerson, ...] = (person,)
        """The permanent members."""
        self.guests = guests
        self._family = f"family/{family_id}"
        self._links: dict[str, str] = {}
        """The token of each open invitation."""
        self._devices: dict[str, SimulatedPerson] = {}
        """The devices of the children."""

    def possible_actions(self) -> Iterator[Way]:
        waiting, children = self._waiting(), self._children("active")
        invitations = len([*self.named_records("invitations")])
        if invitations < INVITED:
            yield from [self.invite] * 2
        if waiting:
            yield from (self.send_again, self.revoke)
        yield from [self.let_in, self.change_role, self.remove_member, self.rename_guest] * 2
        if len(self._children()) < CHILDREN:
            yield self.add_child
        if children:
            yield from (self.rename_child, self.make_link, self.remove_child)
        yield self.rename_family

    async def invite(self) -> None:
        email, role = f"{self.new_word()}@home.local", self.dice.choice(["admin", "suggester"])
        body = {"email": email, "role": role}
        await self.change("POST", "/invitations", body, self._invited, makes=("invitations",))

    async def send_again(self) -> None:
        name = self.dice.choice(self._waiting())
        await self.change("POST", f"/{name}/resend", None, self._invited, touched=(name,))

    async def revoke(self) -> None:
        name = self.dice.choice(self._waiting())
        facts = {name: PartlyKnown(status="revoked")}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    async def let_in(self) -> None:
        """Invite a guest, who accepts the invitation."""
        guest = self.dice.choice(self.guests)
        if self._is_in(guest):
            return
        waits = [it for it in self._waiting() if self.known[it]["email"] == guest.email]
        if not waits:
            body = {"email": guest.email, "role": self.dice.choice(["admin", "suggester"])}
            await self.change("POST", "/invitations", body, self._invited, makes=("invitations",))
            return
        invitation, member = waits[0], f"members/{guest.member_id}"
        if invitation not in self._links:  # the client gave up before it saw the token
            return
        await self.ask(
            RequestedChange(
                guest,
                "POST",
                "/invitations/accept",
                {"token": self._links[invitation]},
                lambda it: {member: it, invitation: PartlyKnown(status="accepted")},
                touched=(invitation, member),
            )
        )

    async def change_role(self) -> None:
        guest = self.dice.choice(self.guests)
        if self._is_in(guest):
            name = f"members/{guest.member_id}"
            member = await self.read(f"/{name}")
            role = "admin" if member["role"] == "suggester" else "suggester"
            await self.edit(name, {"role": role, "version": member["version"]})

    async def remove_member(self) -> None:
        guest = self.dice.choice(self.guests)
        if self._is_in(guest):
            await self._remove(f"members/{guest.member_id}")

    async def rename_guest(self) -> None:
        """Rename a guest, and the member of the family if the guest is one."""
        guest, called = self.dice.choice(self.guests), self.new_word()
        name = f"members/{guest.member_id}"
        facts: Facts = {}
        if self._is_in(guest):
            facts = {name: PartlyKnown(name=called, status="active", role=self.known[name]["role"])}
        await self.ask(
            RequestedChange(
                guest, "PATCH", "/me", {"name": called}, lambda _: facts, touched=tuple(facts)
            )
        )

    async def add_child(self) -> None:
        await self.add("/members", {"name": self.new_word()}, "members", "memberId")

    async def rename_child(self) -> None:
        name = self.dice.choice(self._children("active"))
        version = (await self.read(f"/{name}"))["version"]
        await self.edit(name, {"name": self.new_word(), "picture": "🐳", "version": version})

    async def make_link(self) -> None:
        """Make a link and sign a device in with it, unless the request stays unanswered."""
        name = self.dice.choice(self._children("active"))
        made = await self.change("POST", f"/{name}/sign-in-link", None, lambda _: {})
        device = SimulatedPerson(str(self.person.client.base_url))
        try:
            asked = {"token": made["link"].rpartition("/")[2]}
            device.bear(json_of_success(await device.post("/tokens/link", asked))["accessToken"])
        except httpx.TransportError as error:
            raise ServerKilled from error
        if before := self._devices.pop(name, None):
            await before.leave()
        self._devices[name] = device

    async def remove_child(self) -> None:
        name = self.dice.choice(self._children("active"))
        if device := self._devices.pop(name, None):
            await device.leave()
        await self._remove(name)

    async def rename_family(self) -> None:
        version = (await self.read("/family"))["version"]
        await self.edit(self._family, {"name": self.new_word(), "version": version}, "/family")

    async def read_facts(self) -> Facts:
        for name, device in self._devices.items():
            whose = json_of_success(await device.get("/me"))["memberId"]
            assert f"members/{whose}" == name, "a child is signed out"
        return {self._family: await self.read("/family")}

    def people(self) -> Iterator[SimulatedPerson]:
        yield from (self.person, *self.guests)

    def devices(self) -> Iterator[SimulatedPerson]:
        yield from (*self.people(), *self._devices.values())

    async def sign_in(self) -> None:
        await super().sign_in()
        while self._devices:
            await self._devices.popitem()[1].leave()

    async def _remove(self, name: str) -> None:
        facts = {name: PartlyKnown(status="removed")}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    def _invited(self, invitation: Any) -> Facts:
        name = f"invitations/{invitation['invitationId']}"
        self._links[name] = invitation["link"].rpartition("/")[2]
        return {name: invitation}

    def _waiting(self) -> list[str]:
        return [name for name, it in self.named_records("invitations") if it["status"] == "pending"]

    def _is_in(self, guest: SimulatedPerson) -> bool:
        known: Shown = self.known.get(f"members/{guest.member_id}", {})
        return known.get("status") == "active"

    def _children(self, status: str | None = None) -> list[str]:
        others = {f"members/{each.member_id}" for each in (*self.guests, *self.family)}
        every = [
            (name, it["status"]) for name, it in self.named_records("members") if name not in others
        ]
        return [name for name, is_ in every if status in (None, is_)]
