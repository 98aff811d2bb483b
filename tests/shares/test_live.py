"""Test the event stream of a shared list."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest

from homeshelf.shares.limits import ShareLimits
from homeshelf.table import Database
from tests.running import running_app
from tests.shares.clients import PASSCODES, VIEW, Shown, request_stream_status
from tests.web.streams import Stream, StreamServer


@pytest.fixture
async def client(stream_server: StreamServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{stream_server.url}/api/v1", timeout=20) as client:
        yield client


async def make(client: httpx.AsyncClient, **sent: Any) -> Shown:
    body = {"name": "Camping", "items": [{"name": "Tent"}, {"name": "Rope"}], **sent}
    answer = await client.post("/shareables", json=body)
    assert answer.status_code == 201, answer.text
    made: Shown = answer.json()
    return made


@asynccontextmanager
async def open_stream(
    client: httpx.AsyncClient, made: Shown, token: str | None = None, **headers: str
) -> AsyncIterator[Stream]:
    sent = headers | ({"Authorization": f"Bearer {token}"} if token else {})
    limit = httpx.Timeout(5, read=60)
    path = f"/shareables/{made['shortId']}/events"
    async with client.stream("GET", path, headers=sent, timeout=limit) as answer:
        assert answer.status_code == 200, await answer.aread()
        stream = Stream(answer)
        try:
            yield stream
        finally:
            await stream.close()


def item_id(made: Shown, number: int = 0) -> str:
    return str(made["items"][number]["checklistItemId"])


async def tick(client: httpx.AsyncClient, made: Shown, number: int = 0) -> None:
    path = f"/shareables/{made['shortId']}/items/{item_id(made, number)}"
    answer = await client.patch(path, json={"checked": True, "checkedBy": "Ada"})
    assert answer.status_code == 200, answer.text


async def test_two_browsers_receive_each_others_changes(client: httpx.AsyncClient) -> None:
    made, other = await make(client), await make(client)
    async with open_stream(client, made) as one, open_stream(client, made) as two:
        assert (await one.first_line()).startswith(":")
        await tick(client, other)
        began = time.monotonic()
        await tick(client, made, 1)
        for stream in (one, two):
            event = await stream.next()
            assert event.about == ("checklist_item", item_id(made, 1), 1)
            assert event.data.keys() == {"type", "id", "version"}, "never a name or text"
            assert event.heard_at - began < 3


async def test_every_change_is_streamed(client: httpx.AsyncClient) -> None:
    made = await make(client)
    path = f"/shareables/{made['shortId']}"
    async with open_stream(client, made) as stream:
        added = (await client.post(f"{path}/items", json={"name": "Map"})).json()
        about = {event.about for event in await stream.some(2)}
        new = added["checklistItemId"]
        assert about == {("checklist", made["shortId"], 2), ("checklist_item", new, 1)}
        ids = [new, item_id(made, 1), item_id(made, 0)]
        await client.put(f"{path}/order", json={"checklistItemIds": ids})
        assert (await stream.next()).about == ("checklist", made["shortId"], 3)
        await client.delete(f"{path}/items/{new}")
        about = {event.about for event in await stream.some(2)}
        assert about == {("checklist", made["shortId"], 4), ("checklist_item", new, None)}
        await client.patch(path, json={"version": 4, "name": "Hiking"})
        last = await stream.next()
        assert last.about == ("checklist", made["shortId"], 5)
        await tick(client, made)
    async with open_stream(client, made, **{"Last-Event-ID": last.id}) as stream:
        assert (await stream.next()).about == ("checklist_item", item_id(made), 1)


@pytest.mark.parametrize("passcodes", ["open", "view"])
async def test_stream_ends_when_the_passcode_changes(
    client: httpx.AsyncClient, passcodes: str
) -> None:
    made = await make(client, **PASSCODES[passcodes])
    token = made.get("token")
    sent = {"Authorization": f"Bearer {token}"} if token else {}
    async with open_stream(client, made, token) as stream:
        change = {"version": 1, "viewPasscode": "another"}
        await client.patch(f"/shareables/{made['shortId']}", json=change, headers=sent)
        assert await stream.ends_within(3)


async def test_stream_continues_when_the_other_passcode_changes(client: httpx.AsyncClient) -> None:
    made = await make(client, **PASSCODES["both"])
    path, sent = f"/shareables/{made['shortId']}", {"Authorization": f"Bearer {made['token']}"}
    view = (await client.post(f"{path}/unlock", json={"passcode": VIEW})).json()["token"]
    async with (
        open_stream(client, made, view) as guest,
        open_stream(client, made, made["token"]) as own,
    ):
        change = {"version": 1, "adminPasscode": "another"}
        await client.patch(path, json=change, headers=sent)
        assert await own.ends_within(3)
        assert (await guest.next()).about == ("checklist", made["shortId"], 2)


async def test_stream_ends_with_the_list(client: httpx.AsyncClient) -> None:
    made = await make(client)
    async with open_stream(client, made) as stream:
        await client.delete(f"/shareables/{made['shortId']}")
        assert await stream.ends_within(3)


async def test_number_of_streams_per_address_is_limited(database: Database) -> None:
    async with running_app(database, limit_share_streams=2) as running, AsyncExitStack() as stack:
        limits = running.services.limits.of(ShareLimits)
        made = (await running.visitor().post("/shareables", {"name": "Camping"})).json()
        path = f"/api/v1/shareables/{made['shortId']}/events"
        assert await request_stream_status(running, path, {}) == 200
        stack.enter_context(limits.streams.hold("203.0.113.9"))
        assert await request_stream_status(running, path, {}) == 200
        stack.enter_context(limits.streams.hold("203.0.113.9"))
        assert await request_stream_status(running, path, {}) == 429
