"""Families on a server of several processes, and the database as a process on the side sees it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import httpx

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.table import Database
from homeshelf.table.operations import Put
from tests.web.streams import Stream

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Person:
    client: httpx.AsyncClient
    member_id: str
    session_id: str
    family_id: str
    email: str
    refresh_token: str

    async def rename_family(self, name: str) -> tuple[str, str, int]:
        """A change through whichever process answers; returns what listeners are told."""
        family = (await self.client.get("/api/v1/family")).json()
        change = {"name": name, "version": family["version"]}
        answer = await self.client.patch("/api/v1/family", json=change)
        assert answer.status_code == 200, answer.text
        return "Family", self.family_id, answer.json()["version"]


@dataclass(frozen=True)
class Street:
    """A server, and its database as a process on the side sees it."""

    url: str
    db: Database

    @asynccontextmanager
    async def family(self) -> AsyncIterator[Person]:
        """Somebody new with a family of their own."""
        account = {"email": f"{clock.new_id()}@home.local", "password": PASSWORD, "name": "Ada"}
        async with httpx.AsyncClient(base_url=self.url, timeout=10) as client:
            member_id = (await client.post("/api/v1/accounts", json=account)).json()["memberId"]
            del account["name"]
            tokens = (await client.post("/api/v1/tokens", json=account)).json()
            client.headers["Authorization"] = f"Bearer {tokens['accessToken']}"
            session = (await client.get("/api/v1/me/sessions")).json()["items"][0]
            family = (await client.post("/api/v1/families", json={"name": "Ours"})).json()
            yield Person(
                client,
                member_id,
                session["sessionId"],
                family["familyId"],
                account["email"],
                tokens["refreshToken"],
            )

    @asynccontextmanager
    async def member_of(self, admin: Person, role: str) -> AsyncIterator[Person]:
        """Somebody who joins, and acts for this family beside one of their own."""
        async with self.family() as person:
            asked = {"email": person.email, "role": role}
            link = (await admin.client.post("/api/v1/invitations", json=asked)).json()["link"]
            accepting = {"token": link.rpartition("/")[2]}
            answer = await person.client.post("/api/v1/invitations/accept", json=accepting)
            assert answer.status_code == 200, answer.text
            person.client.headers["Homeshelf-Family"] = admin.family_id
            yield person

    @asynccontextmanager
    async def child_of(self, admin: Person) -> AsyncIterator[Person]:
        """A child without an e-mail, whom a link signed in."""
        made = (await admin.client.post("/api/v1/members", json={"name": "Alva"})).json()
        asked = {"token": made["link"].rpartition("/")[2]}
        async with httpx.AsyncClient(base_url=self.url, timeout=10) as client:
            tokens = (await client.post("/api/v1/tokens/link", json=asked)).json()
            client.headers["Authorization"] = f"Bearer {tokens['accessToken']}"
            sessions = (await client.get("/api/v1/me/sessions")).json()["items"]
            session_id, refresh_token = sessions[0]["sessionId"], tokens["refreshToken"]
            yield Person(client, made["memberId"], session_id, admin.family_id, "", refresh_token)

    @asynccontextmanager
    async def elsewhere(self, person: Person) -> AsyncIterator[Person]:
        """The same person, signed in on another device."""
        asked = {"email": person.email, "password": PASSWORD}
        async with httpx.AsyncClient(base_url=self.url, timeout=10) as client:
            tokens = (await client.post("/api/v1/tokens", json=asked)).json()
            client.headers["Authorization"] = f"Bearer {tokens['accessToken']}"
            sessions = (await client.get("/api/v1/me/sessions")).json()["items"]
            yield replace(
                person,
                client=client,
                session_id=sessions[0]["sessionId"],
                refresh_token=tokens["refreshToken"],
            )

    async def require_no_other_event(self, family_id: str, *streams: Stream) -> None:
        """Change something twice: whatever was on its way arrives before the second event."""
        changed = [await self.change(family_id) for _ in range(2)]
        for stream in streams:
            assert [event.about for event in await stream.some(2)] == changed

    async def change(self, family_id: str, age: float = 0.0) -> tuple[str, str, int]:
        """A change by this process; `age` is how long before its commit its id was made."""
        put = note_change(family_id, "ShoppingListItem", clock.new_id(), 1)
        if age:
            made = clock.lowest_ordered_id(clock.now() - timedelta(seconds=age))
            item = dict(put.item)
            item["changeId"] = made + clock.ordered_id()[len(made) :]
            item["SK"] = f"CHANGE#{item['changeId']}"
            await self.db.write(Put(put.table, item))
            return "ShoppingListItem", str(item["id"]), 1
        await self.db.write(put)
        return "ShoppingListItem", str(put.item["id"]), 1
