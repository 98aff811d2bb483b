"""Who decides who is in the family: invitations, members, children, and what it is called."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import httpx

from tests.torture.clients.client import Client, Way
from tests.torture.people import Somebody, result
from tests.torture.recorder import Asked, Facts, Killed, Partly, Shown

INVITED, CHILDREN = 60, 25


class Host(Client):
    def __init__(
        self, person: Somebody, guests: Sequence[Somebody], family_id: str, dice: Random
    ) -> None:
        super().__init__(person, dice)
        self.family: tuple[Somebody, ...] = (person,)
        """Who is in it for good."""
        self.guests = guests
        self._family = f"family/{family_id}"
        self._links: dict[str, str] = {}
        """The token of each invitation that waits."""
        self._devices: dict[str, Somebody] = {}
        """Where children are signed in."""

    def ways(self) -> Iterator[Way]:
        waiting, children = self._waiting(), self._children("active")
        invitations = len([*self.named("invitations")])
        if invitations < INVITED:
            yield from [self.invite] * 2
        if waiting:
            yield from (self.send_again, self.revoke)
        yield from [self.let_in, self.change_role, self.send_away, self.rename_guest] * 2
        if len(self._children()) < CHILDREN:
            yield self.add_child
        if children:
            yield from (self.rename_child, self.make_link, self.remove_child)
        yield self.rename_family

    async def invite(self) -> None:
        email, role = f"{self.word()}@home.local", self.dice.choice(["admin", "suggester"])
        body = {"email": email, "role": role}
        await self.change("POST", "/invitations", body, self._invited, makes=("invitations",))

    async def send_again(self) -> None:
        name = self.dice.choice(self._waiting())
        await self.change("POST", f"/{name}/resend", None, self._invited, touched=(name,))

    async def revoke(self) -> None:
        name = self.dice.choice(self._waiting())
        facts = {name: Partly(status="revoked")}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    async def let_in(self) -> None:
        """One of those who are not in: an invitation for them, which they accept."""
        guest = self.dice.choice(self.guests)
        if self._is_in(guest):
            return
        waits = [it for it in self._waiting() if self.known[it]["email"] == guest.email]
        if not waits:
            body = {"email": guest.email, "role": self.dice.choice(["admin", "suggester"])}
            await self.change("POST", "/invitations", body, self._invited, makes=("invitations",))
            return
        invitation, member = waits[0], f"members/{guest.member_id}"
        if invitation not in self._links:  # somebody gave up before they were shown it
            return
        await self.ask(
            Asked(
                guest,
                "POST",
                "/invitations/accept",
                {"token": self._links[invitation]},
                lambda it: {member: it, invitation: Partly(status="accepted")},
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

    async def send_away(self) -> None:
        guest = self.dice.choice(self.guests)
        if self._is_in(guest):
            await self._remove(f"members/{guest.member_id}")

    async def rename_guest(self) -> None:
        """They call themselves so, in the family too where they are in it."""
        guest, called = self.dice.choice(self.guests), self.word()
        name = f"members/{guest.member_id}"
        facts: Facts = {}
        if self._is_in(guest):
            facts = {name: Partly(name=called, status="active", role=self.known[name]["role"])}
        await self.ask(
            Asked(guest, "PATCH", "/me", {"name": called}, lambda _: facts, touched=tuple(facts))
        )

    async def add_child(self) -> None:
        await self.add("/members", {"name": self.word()}, "members", "memberId")

    async def rename_child(self) -> None:
        name = self.dice.choice(self._children("active"))
        version = (await self.read(f"/{name}"))["version"]
        await self.edit(name, {"name": self.word(), "picture": "🐳", "version": version})

    async def make_link(self) -> None:
        """And a device with it, which is then signed in; one that nobody answered is not."""
        name = self.dice.choice(self._children("active"))
        made = await self.change("POST", f"/{name}/sign-in-link", None, lambda _: {})
        device = Somebody(str(self.person.client.base_url))
        try:
            asked = {"token": made["link"].rpartition("/")[2]}
            device.bear(result(await device.post("/tokens/link", asked))["accessToken"])
        except httpx.TransportError as error:
            raise Killed from error
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
        await self.edit(self._family, {"name": self.word(), "version": version}, "/family")

    async def look(self) -> Facts:
        for name, device in self._devices.items():
            whose = result(await device.get("/me"))["memberId"]
            assert f"members/{whose}" == name, "a child is signed out"
        return {self._family: await self.read("/family")}

    def people(self) -> Iterator[Somebody]:
        yield from (self.person, *self.guests)

    def devices(self) -> Iterator[Somebody]:
        yield from (*self.people(), *self._devices.values())

    async def sign_in(self) -> None:
        await super().sign_in()
        while self._devices:
            await self._devices.popitem()[1].leave()

    async def _remove(self, name: str) -> None:
        facts = {name: Partly(status="removed")}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    def _invited(self, invitation: Any) -> Facts:
        name = f"invitations/{invitation['invitationId']}"
        self._links[name] = invitation["link"].rpartition("/")[2]
        return {name: invitation}

    def _waiting(self) -> list[str]:
        return [name for name, it in self.named("invitations") if it["status"] == "pending"]

    def _is_in(self, guest: Somebody) -> bool:
        known: Shown = self.known.get(f"members/{guest.member_id}", {})
        return known.get("status") == "active"

    def _children(self, status: str | None = None) -> list[str]:
        others = {f"members/{each.member_id}" for each in (*self.guests, *self.family)}
        every = [(name, it["status"]) for name, it in self.named("members") if name not in others]
        return [name for name, is_ in every if status in (None, is_)]
