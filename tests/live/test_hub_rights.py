"""The right to listen ends, and the hub notices it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import change_write, changes_since, session_end_writes
from homeshelf.live import hub
from homeshelf.live.hub import Hub
from homeshelf.live.listener import Right
from homeshelf.table import Database, Engine, Page, Query
from homeshelf.table.expressions import Item
from tests.live.hubs import (
    ALWAYS,
    give_ticket,
    ids_in,
    put_changes,
    take_ticket,
    ticket_right,
    wait_until,
    with_query,
)
from tests.moment import Moment


@pytest.fixture
async def hub_with_20_streams(database: Database) -> AsyncIterator[Hub]:
    made = Hub(database, streams_each=20)
    yield made
    await made.close()


async def test_stream_ends_at_the_known_end_of_its_right(
    hub_with_20_streams: Hub, database: Database, moment: Moment
) -> None:
    """No write announces the end."""
    await give_ticket(database, "ada", seconds=100)
    await give_ticket(database, "bob", seconds=99)
    async with (
        hub_with_20_streams.listening("family", ticket_right("ada")) as listener,
        hub_with_20_streams.listening("family", ticket_right("bob")) as earlier,
    ):
        moment.pass_by(99)
        await wait_until(lambda: earlier.ended, within=1)
        assert not listener.ended
        moment.pass_by(1)
        await wait_until(lambda: listener.ended, within=1)


async def test_stream_continues_when_its_right_is_renewed(
    hub_with_20_streams: Hub, database: Database, moment: Moment
) -> None:
    await give_ticket(database, "ada", seconds=100)
    async with hub_with_20_streams.listening("family", ticket_right("ada")) as listener:
        await give_ticket(database, "ada", seconds=200)
        moment.pass_by(150)
        await wait_until(lambda: listener.until > clock.seconds())
        assert not listener.ended


async def test_right_that_ended_without_a_change_record_is_noticed(
    hub_with_20_streams: Hub, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "CHECK_SECONDS", 0.4)
    ticket = await give_ticket(database, "ada")
    async with hub_with_20_streams.listening("family", ticket_right("ada")) as listener:
        await database.write(ticket.delete())
        await wait_until(lambda: listener.ended, within=2)


async def test_rights_are_checked_every_half_minute() -> None:
    assert hub.CHECK_SECONDS == 30


async def test_right_that_ended_during_admission_is_noticed_at_once(
    hub_with_20_streams: Hub, database: Database
) -> None:
    """The change that ended the right was read before the listener came, and is not read again."""
    ticket = await give_ticket(database, "ada")
    async with hub_with_20_streams.listening("family", ALWAYS):
        await take_ticket(database, ticket, "family")
        room = hub_with_20_streams._rooms["family"]
        await wait_until(lambda: bool(room._seen))
        async with hub_with_20_streams.listening("family", ticket_right("ada")) as listener:
            assert listener.ended


async def test_listener_without_right_gets_no_later_events(
    hub_with_20_streams: Hub, database: Database
) -> None:
    ticket = await give_ticket(database, "ada")
    async with (
        hub_with_20_streams.listening("family", ticket_right("ada")) as listener,
        hub_with_20_streams.listening("family", ALWAYS) as other,
    ):
        await database.transact(
            ticket.delete(),
            *session_end_writes("ada", ["family"]),
            change_write("family", "Item", "1", 1),
        )
        assert ids_in(await other.wait_for_events(2))
        assert listener.ended
        assert await listener.wait_for_events(1) == b""


async def test_ended_session_is_not_sent_to_listeners(
    hub_with_20_streams: Hub, database: Database
) -> None:
    ticket = await give_ticket(database, "ada")
    first = await put_changes(database, 1)
    async with hub_with_20_streams.listening("family", ALWAYS, *first) as listener:
        await take_ticket(database, ticket, "family")
        later = await put_changes(database, 1)
        assert ids_in(await listener.wait_for_events(2)) == later
    await take_ticket(database, ticket, "family")
    ended = [
        c.change_id for c in await changes_since(database, "family", None) if not c.is_announced
    ]
    assert len(ended) == 2
    for resumed in (hub_with_20_streams, Hub(database, 20)):
        async with resumed.listening("family", ALWAYS, *first) as listener:
            assert ids_in(await listener.wait_for_events(2)) == later
        async with resumed.listening("family", ALWAYS, since=first[0]) as listener:
            assert ids_in(await listener.wait_for_events(2)) == first + later
        async with resumed.listening("family", ALWAYS, "long ago") as listener:
            assert ids_in(await listener.wait_for_events(2)) == later
        await resumed.close()


async def test_unreadable_right_ends_only_its_listener(
    hub_with_20_streams: Hub, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "CHECK_SECONDS", 0.2)
    broken = False

    def fail_if_broken(_: Any) -> float:
        if broken:
            raise KeyError("what is this?")
        return 1e12

    await give_ticket(database, "ada")
    async with (
        hub_with_20_streams.listening("family", Right((), fail_if_broken)) as listener,
        hub_with_20_streams.listening("family", ticket_right("ada")) as other,
    ):
        broken = True
        await wait_until(lambda: listener.ended)
        changed = await put_changes(database, 1)
        assert ids_in(await other.wait_for_events(2)) == changed
        checked_at = other.checked_at
        await wait_until(lambda: other.checked_at > checked_at)
        assert not other.ended


async def test_check_of_rights_is_retried_after_an_outage(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change of the right counts as seen only after a successful check."""
    monkeypatch.setattr(hub, "TROUBLE_SECONDS", 0.1)
    fails, failed, get_many = [False], asyncio.Event(), database.engine.get_many

    async def fail_first(*arguments: Any, **named: Any) -> Any:
        if fails[0]:
            failed.set()
            raise RuntimeError("not now")
        return await get_many(*arguments, **named)

    monkeypatch.setattr(database.engine, "get_many", fail_first)
    switchboard = Hub(database, 20)
    ticket = await give_ticket(database, "ada")
    async with switchboard.listening("family", ticket_right("ada")) as listener:
        fails[0] = True
        await take_ticket(database, ticket, "family")
        await asyncio.wait_for(failed.wait(), 5)
        fails[0] = False
        await wait_until(lambda: listener.ended, within=3)
    await switchboard.close()


async def test_change_too_recent_for_one_read_is_found_by_the_next(database: Database) -> None:
    """An eventually consistent read of DynamoDB may miss a change for a moment."""
    is_polled = await database.engine.stamp() is None
    too_early = 3 if is_polled else 0  # with a stamp each change is looked for once

    async def query_with_lag(engine: Engine, query: Query[Any]) -> Page[Item]:
        nonlocal too_early
        page = await engine.query(query)
        if query.consistent or not too_early:
            return page
        too_early -= 1
        return Page([])

    switchboard = Hub(with_query(database, query_with_lag), 20)
    ticket = await give_ticket(database, "ada")
    async with (
        switchboard.listening("family", ALWAYS) as listener,
        switchboard.listening("family", ticket_right("ada")) as ended,
    ):
        changed = await put_changes(database, 3)
        await take_ticket(database, ticket, "family")
        heard: list[str] = []
        while len(heard) < 3:
            heard += ids_in(await listener.wait_for_events(3))
        assert heard == changed
        await wait_until(lambda: ended.ended)
    await switchboard.close()
