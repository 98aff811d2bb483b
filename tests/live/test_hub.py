"""The hub inside one process: cases that would be slow with a server on a real network."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import change_write
from homeshelf.errors import Unavailable
from homeshelf.live import listener as hub_listener
from homeshelf.live import listener as streaming
from homeshelf.live.hub import Hub
from homeshelf.live.listener import EventStream
from homeshelf.table import Database
from homeshelf.table.deadlines import OVERLAP_SECONDS
from tests.live.hubs import (
    ALWAYS,
    give_ticket,
    ids_in,
    make_change,
    put_changes,
    take_ticket,
    ticket_right,
    wait_until,
)
from tests.moment import Moment
from tests.processes import kept_waiting


@pytest.fixture
async def hub_with_20_streams(database: Database) -> AsyncIterator[Hub]:
    made = Hub(database, streams_each=20)
    yield made
    await made.close()


class StreamClient:
    """The client of an event stream."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.done = False
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            self.heard.append(message["body"])
            self.done = not message["more_body"]

    def open_stream(self, hub_with_20_streams: Hub, scope: str) -> "asyncio.Task[None]":
        stream = EventStream(nullcontext(), hub_with_20_streams.listening(scope, ALWAYS))
        return asyncio.create_task(stream({"type": "http"}, self.receive, self.send))


async def test_quiet_stream_sends_periodic_comments(
    hub_with_20_streams: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "QUIET_SECONDS", 0.02)
    browser = StreamClient()
    stream = browser.open_stream(hub_with_20_streams, "family")
    await wait_until(lambda: len(browser.heard) > 3)
    assert set(browser.heard) == {streaming.COMMENT}
    browser.gone.set()
    await stream


async def test_disconnected_stream_is_cleaned_up(hub_with_20_streams: Hub) -> None:
    before = asyncio.all_tasks()
    browsers = [StreamClient() for _ in range(10)]
    streams = [browser.open_stream(hub_with_20_streams, "family") for browser in browsers]
    await wait_until(lambda: all(browser.heard for browser in browsers))
    for browser in browsers:
        browser.gone.set()
    await asyncio.gather(*streams)
    await wait_until(lambda: asyncio.all_tasks() <= before)


async def test_stream_ends_when_its_client_stops_reading(
    hub_with_20_streams: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def send(_message: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(streaming, "STALLED_SECONDS", 0.02)
    before = asyncio.all_tasks()
    stream = EventStream(nullcontext(), hub_with_20_streams.listening("family", ALWAYS))
    await asyncio.wait_for(stream({"type": "http"}, StreamClient().receive, send), 5)
    await wait_until(lambda: asyncio.all_tasks() <= before)


async def test_cancelled_stream_is_cleaned_up(hub_with_20_streams: Hub) -> None:
    before = asyncio.all_tasks()
    browser = StreamClient()
    stream = browser.open_stream(hub_with_20_streams, "family")
    await wait_until(lambda: bool(browser.heard))
    stream.cancel()
    await asyncio.gather(stream, return_exceptions=True)
    await wait_until(lambda: asyncio.all_tasks() <= before)


async def test_closed_hub_ends_all_streams_and_refuses_new_ones(hub_with_20_streams: Hub) -> None:
    browser = StreamClient()
    stream = browser.open_stream(hub_with_20_streams, "family")
    await wait_until(lambda: bool(browser.heard))
    await hub_with_20_streams.close()
    await asyncio.wait_for(stream, 1)
    assert browser.done
    with pytest.raises(Unavailable):
        async with hub_with_20_streams.listening("family", ALWAYS):
            pass


async def test_listener_that_does_not_read_is_dropped(
    hub_with_20_streams: Hub, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_listener, "MOST_WAITING", 20)
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await database.batch([change_write("family", "Item", str(n), 1) for n in range(50)])
        await wait_until(lambda: listener.ended)
        assert (await listener.wait_for_events(1)).count(b"data:") == 20


async def test_new_listener_gets_events_after_the_last_one_left(
    hub_with_20_streams: Hub, database: Database
) -> None:
    """The listener may connect at any moment between two polls."""
    for pause in (0.0, 0.02, 0.05, 0.08, 0.12):
        async with hub_with_20_streams.listening("family", ALWAYS):
            await asyncio.sleep(0.01)
        await asyncio.sleep(pause)
        async with hub_with_20_streams.listening("family", ALWAYS) as listener:
            await database.write(change_write("family", "Item", clock.new_id(), 1))
            assert b"data:" in await listener.wait_for_events(2)


async def test_listeners_get_only_events_of_their_scope(
    hub_with_20_streams: Hub, database: Database
) -> None:
    async with (
        hub_with_20_streams.listening("one", ALWAYS) as one,
        hub_with_20_streams.listening("other", ALWAYS) as other,
    ):
        await database.write(change_write("one", "Item", "1", None))
        assert b'"version":null' in await one.wait_for_events(2)
        await database.write(change_write("other", "Item", "2", None))
        assert b'"id":"1"' not in await other.wait_for_events(2)


@pytest.mark.usefixtures("usual_polling")
async def test_changes_and_ended_rights_arrive_within_a_second(
    hub_with_20_streams: Hub, database: Database
) -> None:
    """At the interval of production; other tests poll faster where the engine has only polling."""
    ticket = await give_ticket(database, "ada")
    async with (
        hub_with_20_streams.listening("family", ALWAYS) as listener,
        hub_with_20_streams.listening("family", ticket_right("ada")) as ended,
    ):
        for _ in range(3):  # each just after a poll, so that the next one is far
            with require_within_a_second():
                changed = await put_changes(database, 1)
                assert ids_in(await listener.wait_for_events(5)) == changed
        with require_within_a_second():
            await take_ticket(database, ticket, "family")
            await wait_until(lambda: ended.ended)


@contextmanager
def require_within_a_second() -> Iterator[None]:
    began, kept_before = monotonic(), kept_waiting()
    yield
    assert monotonic() - began - (kept_waiting() - kept_before) < 1


async def test_resumed_stream_gets_each_event_once(
    hub_with_20_streams: Hub, database: Database
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        ids = await put_changes(database, 3)
        heard = b""
        while heard.count(b"data:") < 3:
            heard += await listener.wait_for_events(2)
    ids += await put_changes(database, 2)
    async with hub_with_20_streams.listening("family", ALWAYS, ids[1]) as listener:
        missed = await listener.wait_for_events(2)
    assert ids_in(missed) == ids[2:]


async def test_event_is_forgotten_after_an_hour(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    (first,) = await put_changes(database, 1)
    moment.pass_by(3590)
    later = await put_changes(database, 1)
    async with hub_with_20_streams.listening("family", ALWAYS, first) as listener:
        assert ids_in(await listener.wait_for_events(2)) == later
    moment.pass_by(20)
    async with Hub(database, 20).listening("family", ALWAYS, first) as listener:
        assert (await listener.wait_for_events(2)).startswith(b"event: reset\n")


async def test_change_written_late_is_sent(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        waits = change_write("family", "Item", "slow", 1)
        moment.pass_by(600)
        await database.write(change_write("family", "Item", "quick", 1))
        assert b'"id":"quick"' in await listener.wait_for_events(2)
        await database.transact(waits)
        assert b'"id":"slow"' in await listener.wait_for_events(2)


async def test_change_in_flight_when_the_clock_is_set_forward_is_sent(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await database.write(change_write("family", "Item", "before", 1))
        assert b'"id":"before"' in await listener.wait_for_events(2)
        on_its_way = make_change("slow")
        moment.pass_by(3600)
        await database.write(change_write("family", "Item", "quick", 1))
        assert b'"id":"quick"' in await listener.wait_for_events(2)
        await database.put(on_its_way.changed(ttl=on_its_way.ttl + 1))  # or it expires now
        assert b'"id":"slow"' in await listener.wait_for_events(2)


async def test_change_readable_within_the_overlap_is_sent(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    """A slow server and a machine with a slow clock delay a change so."""
    written = make_change("slow")
    moment.pass_by(OVERLAP_SECONDS - 1)
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await database.put(written)
        assert b'"id":"slow"' in await listener.wait_for_events(2)
