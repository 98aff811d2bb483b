"""Event streams of two server processes on each engine, and families that listen to them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from homeshelf import clock
from homeshelf.config import read_settings
from homeshelf.coordination.changes import change_write
from homeshelf.table import Database, open_database
from homeshelf.table.operations import Put
from tests.databases import ENGINES
from tests.forked_processes import run
from tests.processes import environment, on_dynamodb, served_quickly


@dataclass(frozen=True)
class Event:
    name: str
    id: str
    data: dict[str, Any]
    heard_at: float

    @property
    def about(self) -> tuple[str, str, int | None]:
        return self.data["type"], self.data["id"], self.data["version"]


class Stream:
    """An open stream, read line by line as browsers do."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.comments: list[str] = []
        self._lines = answer.aiter_lines()
        self._coming: asyncio.Future[str] | None = None

    async def first_line(self) -> str:
        async with asyncio.timeout(5):
            return await self._line()

    async def next(self, within: float = 5.0) -> Event:
        """Return the next event; raise StopAsyncIteration if the stream ends instead."""
        name, id_, data = "message", "", ""
        async with asyncio.timeout(within):
            while True:
                line = await self._line()
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                match field:
                    case "" if line:
                        self.comments.append(value)
                    case "" if data:
                        return Event(name, id_, json.loads(data), time.monotonic())
                    case "event":
                        name = value
                    case "id":
                        id_ = value
                    case "data":
                        data = value

    async def some(self, number: int) -> list[Event]:
        return [await self.next() for _ in range(number)]

    async def ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self._line()
        except TimeoutError:
            return False
        except StopAsyncIteration:
            return True

    async def _line(self) -> str:
        """Return the next line; a caller that stops waiting for it does not stop the stream."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(anext(self._lines))
        line = await asyncio.shield(self._coming)
        self._coming = None
        return line

    async def close(self) -> None:
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.gather(self._coming, return_exceptions=True)


@asynccontextmanager
async def listening(
    client: httpx.AsyncClient, last_event_id: str | None = None, **query: str
) -> AsyncIterator[Stream]:
    """Open a stream, and yield it once its headers have arrived."""
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    limit = httpx.Timeout(5, read=60)
    async with client.stream(
        "GET", "/api/v1/events", params=query, headers=headers, timeout=limit
    ) as answer:
        assert answer.status_code == 200, await answer.aread()
        stream = Stream(answer)
        try:
            yield stream
        finally:
            await stream.close()


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
        """Rename the family through either process, and return the event that listeners get."""
        family = (await self.client.get("/api/v1/family")).json()
        change = {"name": name, "version": family["version"]}
        answer = await self.client.patch("/api/v1/family", json=change)
        assert answer.status_code == 200, answer.text
        return "Family", self.family_id, answer.json()["version"]


@dataclass(frozen=True)
class StreamServer:
    """A server, and its database opened by the test process."""

    url: str
    db: Database

    @asynccontextmanager
    async def family(self) -> AsyncIterator[Person]:
        """Yield a new admin with a new family."""
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
        """Yield a new member of the family, who also has a family of their own."""
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
        """Yield a child without an e-mail, signed in by a link."""
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
        """Yield the same person, signed in on another device."""
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
        """Change something twice, so that any pending event arrives before the second one."""
        changed = [await self.change(family_id) for _ in range(2)]
        for stream in streams:
            assert [event.about for event in await stream.some(2)] == changed

    async def change(self, family_id: str, age: float = 0.0) -> tuple[str, str, int]:
        """Change the family here; the event id is `age` seconds older than the commit."""
        put = change_write(family_id, "ShoppingListItem", clock.new_id(), 1)
        if age:
            made = clock.lowest_ordered_id(clock.now() - timedelta(seconds=age))
            item = dict(put.item)
            item["changeId"] = made + clock.ordered_id()[len(made) :]
            item["SK"] = f"CHANGE#{item['changeId']}"
            await self.db.write(Put(put.table, item))
            return "ShoppingListItem", str(item["id"]), 1
        await self.db.write(put)
        return "ShoppingListItem", str(put.item["id"]), 1


MANY_FAMILIES = {"HOMESHELF_LIMIT_SIGNUPS": "10000/h"}
"""A higher limit, because all test clients have the same address."""


@dataclass(frozen=True)
class Serving:
    url: str
    folder: Path
    settings: dict[str, str]


@pytest.fixture(scope="session")
def serving_on(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Serving]]:
    """Return a server for each engine, started on first use because a start takes seconds."""
    with ExitStack() as stack:

        @cache
        def serving(engine: str) -> Serving:
            folder, settings = tmp_path_factory.mktemp("stream_server"), {}
            if engine != "sqlite":
                settings = on_dynamodb(request.getfixturevalue(engine), f"{clock.new_id()}.")
                assert run(folder, "tables", "create", **settings).returncode == 0
            variables = settings | MANY_FAMILIES
            started = served_quickly(folder, "--workers", "2", **variables)
            return Serving(stack.enter_context(started).url, folder, settings)

        yield serving


@pytest.fixture(params=ENGINES)
async def stream_server(
    request: pytest.FixtureRequest,
    serving_on: Callable[[str], Serving],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[StreamServer]:
    """Yield a server that tests share, so each test creates its own families and lists."""
    serving = serving_on(request.param)
    monkeypatch.chdir(serving.folder)
    for name, value in serving.settings.items():
        monkeypatch.setenv(name, value)
    db = open_database(read_settings(environment(serving.settings)).database)
    yield StreamServer(serving.url, db)
    await db.close()
