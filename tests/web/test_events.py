"""The event stream of two server processes, with changes from them and from the test process."""

import asyncio
import time
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from homeshelf import clock
from homeshelf.config import SqliteAt
from homeshelf.table import open_database
from tests.forked_processes import served
from tests.web.streams import Event, Person, StreamServer, listening

NO_EVENTS = [
    "ffffffff-ffff",
    "ffffffff-ffff-7fff-bfff-ffffffffffff",
    clock.lowest_ordered_id(clock.now() + timedelta(days=1)),
    clock.lowest_ordered_id(clock.now()).upper().replace("-", "_"),
    "0x18c0aaaaaaaa",
    "-1",
    "CHANGE#1",
    "0" * 5000,
]


async def test_stream_begins_at_once_with_a_comment(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        assert (await stream.first_line()).startswith(":")
        headers = stream.answer.headers
        assert headers["content-type"].partition(";")[0] == "text/event-stream"
        assert headers["cache-control"] == "no-store"


async def test_anonymous_client_gets_no_stream(stream_server: StreamServer) -> None:
    async with httpx.AsyncClient(base_url=stream_server.url) as client:
        assert (await client.get("/api/v1/events")).status_code == 401
    async with (
        stream_server.family() as ada,
        stream_server.family() as eve,
        listening(eve.client) as stream,
    ):
        await stream_server.change(ada.family_id)
        await stream_server.require_no_other_event(eve.family_id, stream)
        other = {"Homeshelf-Family": ada.family_id}
        assert (await eve.client.get("/api/v1/events", headers=other)).status_code == 404


async def test_every_stream_gets_a_change_within_a_second(stream_server: StreamServer) -> None:
    """Eight streams are enough for each of the two processes to serve some."""
    async with stream_server.family() as ada, AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(listening(ada.client)) for _ in range(8)]
        for number in range(3):
            changed = [
                await stream_server.change(ada.family_id),
                await ada.rename_family(f"Number {number}"),
            ]
            done_at = time.monotonic()
            for stream in streams:
                heard = await stream.some(2)
                assert sorted(event.about for event in heard) == sorted(changed)
                assert all(event.heard_at - done_at < 1 for event in heard)


async def test_event_names_the_record_without_its_content(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        changed = await ada.rename_family("A secret name")
        event = await stream.next()
    kind, id_, version = changed
    assert event.data == {"type": kind, "id": id_, "version": version}
    assert event.name == "message"


async def test_change_right_after_the_headers_is_sent(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada:
        for _ in range(10):
            async with listening(ada.client) as stream:
                changed = await stream_server.change(ada.family_id)
                assert (await stream.next()).about == changed


async def test_slow_commit_with_an_older_id_is_sent(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        young = await stream_server.change(ada.family_id)
        assert (await stream.next()).about == young
        old = await stream_server.change(ada.family_id, age=8)
        assert (await stream.next()).about == old
        await stream_server.require_no_other_event(ada.family_id, stream)


async def test_resumed_stream_sends_missed_events(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada:
        async with listening(ada.client) as stream:
            await stream_server.change(ada.family_id)
            last = await stream.next()
        missed = [await stream_server.change(ada.family_id) for _ in range(3)]
        async with listening(ada.client, last.id) as stream:
            heard = [await stream.next()]
            while heard[-1].about != missed[-1]:
                heard.append(await stream.next())
            assert [event.about for event in heard if event.about in missed] == missed
            assert last.id not in {event.id for event in heard}
            live = await stream_server.change(ada.family_id)
            assert (await stream.next()).about == live


@pytest.mark.parametrize("last", ["", "yesterday", "00000000-0000-7000-8000-000000000000"])
async def test_stream_resumed_too_late_gets_a_reset(stream_server: StreamServer, last: str) -> None:
    async with stream_server.family() as ada:
        await expect_reset(stream_server, ada, last)


@pytest.mark.parametrize("last", NO_EVENTS, ids=range(len(NO_EVENTS)))
async def test_malformed_last_event_id_gets_a_reset(stream_server: StreamServer, last: str) -> None:
    async with stream_server.family() as ada:
        await expect_reset(stream_server, ada, last)
        async with listening(ada.client, since=last) as stream:
            assert (await stream.next()).name == "reset"


async def test_unknown_last_event_id_gets_a_reset(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, stream_server.family() as eve:
        await expect_reset(stream_server, ada, clock.ordered_id())
        async with listening(eve.client) as stream:
            await stream_server.change(eve.family_id)
            of_another_family = await stream.next()
        await expect_reset(stream_server, ada, of_another_family.id)


async def expect_reset(stream_server: StreamServer, person: Person, last: str) -> None:
    await stream_server.change(person.family_id)
    async with listening(person.client, last) as stream:
        event: Event = await stream.next()
        assert event.name == "reset"
        later = await stream_server.change(person.family_id)
        assert (await stream.next()).about == later
    async with listening(person.client, event.id) as stream:
        assert (await stream.next()).about == later


async def test_person_may_open_twenty_streams(tmp_path: Path) -> None:
    """This uses one process, because streams are counted in memory."""
    with served(tmp_path) as homeshelf:
        db = open_database(SqliteAt(tmp_path / "data" / "homeshelf.db"))
        try:
            await expect_twenty_streams(StreamServer(homeshelf.url, db))
        finally:
            await db.close()


async def expect_twenty_streams(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.family() as eve,
        AsyncExitStack() as stack,
    ):
        for _ in range(19):
            await stack.enter_async_context(listening(ada.client))
        async with listening(ada.client):
            refused = await ada.client.get("/api/v1/events")
            assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
            assert int(refused.headers["retry-after"]) > 0
            await stack.enter_async_context(listening(eve.client))
        assert await can_listen(ada)


async def can_listen(person: Person) -> bool:
    """Return whether a stream can be opened within two seconds, because a close takes time to
    arrive."""
    for _ in range(40):
        with suppress(AssertionError):
            async with listening(person.client):
                return True
        await asyncio.sleep(0.05)
    return False
