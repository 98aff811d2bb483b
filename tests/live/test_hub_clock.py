"""Listeners get every pending event after the clock was set."""

from collections.abc import AsyncIterator
from time import monotonic

import pytest

from homeshelf.coordination import clock_jumps
from homeshelf.coordination.changes import change_write
from homeshelf.coordination.clock_jumps import ClockJumps
from homeshelf.live import room
from homeshelf.live.hub import Hub
from homeshelf.live.listener import Listener
from homeshelf.live.room import FAR_SECONDS, Lookback
from homeshelf.table import Database
from tests.live.hubs import ALWAYS, give_ticket, ids_in, make_change, ticket_right, wait_until
from tests.moment import DAY, HOUR, MINUTE, Moment

RESET = b"event: reset\n"


@pytest.fixture
async def hub_with_20_streams(database: Database) -> AsyncIterator[Hub]:
    made = Hub(database, streams_each=20)
    yield made
    await made.close()


@pytest.fixture
def short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes arrive without a delay."""
    monkeypatch.setattr(room, "ACKNOWLEDGED_SECONDS", 0.1)
    monkeypatch.setattr(room, "OVERLAP_SECONDS", 1.5)
    monkeypatch.setattr(clock_jumps, "OVERLAP_SECONDS", 1.5)


async def write(database: Database, id_: str) -> None:
    await database.write(change_write("family", "Item", id_, 1))


async def events_until(listener: Listener, what: bytes) -> bytes:
    """Return all events up to this one."""
    heard = b""
    while what not in heard:
        news = await listener.wait_for_events(5)
        assert news, f"{what!r} did not come after {heard!r}"
        heard += news
    return heard


@pytest.mark.parametrize("seconds", [HOUR - 10, HOUR, 30 * DAY])
async def test_change_that_expired_unread_causes_a_reset(
    database: Database, hub_with_20_streams: Hub, moment: Moment, seconds: int
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await events_until(listener, b'"id":"told"')
        await write(database, "untold")
        moment.pass_by(seconds)
        await events_until(listener, RESET)
        await write(database, "later")
        await events_until(listener, b'"id":"later"')


async def test_resumed_listener_gets_a_reset_and_later_events_after_a_forward_jump(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await write(database, "told")
        *_, last = ids_in(await events_until(listener, b'"id":"told"'))
        async with hub_with_20_streams.listening("family", ALWAYS) as other:
            await write(database, "untold")
            moment.pass_by(HOUR)
            await events_until(other, RESET)
            await write(database, "later")
            await events_until(other, b'"id":"later"')
    async with hub_with_20_streams.listening("family", ALWAYS, last) as listener:
        heard = await events_until(listener, b'"id":"later"')
        assert heard.index(RESET) < heard.index(b'"id":"later"')
        *_, last = ids_in(heard)
    async with hub_with_20_streams.listening("family", ALWAYS, last) as listener:
        await write(database, "latest")
        assert RESET not in await events_until(listener, b'"id":"latest"')


async def test_first_listener_after_a_forward_jump_gets_a_reset(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await write(database, "told")
        *_, last = ids_in(await events_until(listener, b'"id":"told"'))
    await write(database, "untold")
    moment.pass_by(HOUR)
    async with hub_with_20_streams.listening("family", ALWAYS, last) as listener:
        await events_until(listener, RESET)


@pytest.mark.usefixtures("short_delays")
async def test_change_that_expired_in_flight_causes_a_reset(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        slow = make_change("slow")
        moment.pass_by(HOUR)
        await events_until(listener, RESET)
        await database.put(slow)
        await events_until(listener, RESET)
        await write(database, "later")
        assert RESET not in await events_until(listener, b'"id":"later"')


@pytest.mark.parametrize("seconds", [3 * MINUTE, HOUR, 30 * HOUR])
async def test_unread_change_is_sent_after_the_clock_is_set_back(
    database: Database, hub_with_20_streams: Hub, moment: Moment, seconds: int
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await events_until(listener, b'"id":"told"')
        await write(database, "untold")
        moment.pass_by(-seconds)
        assert RESET not in await events_until(listener, b'"id":"untold"')


@pytest.mark.usefixtures("short_delays")
async def test_change_in_flight_when_the_clock_is_set_back_is_sent(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    async with hub_with_20_streams.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await events_until(listener, b'"id":"told"')
        slow = make_change("slow")
        moment.pass_by(-HOUR)
        await write(database, "quick")
        await events_until(listener, b'"id":"quick"')
        await database.put(slow)
        await events_until(listener, b'"id":"slow"')


async def test_right_whose_end_expired_unread_is_ended(
    database: Database, hub_with_20_streams: Hub, moment: Moment
) -> None:
    ticket = await give_ticket(database, "ada", seconds=DAY)
    async with (
        hub_with_20_streams.listening("family", ticket_right("ada")) as listener,
        hub_with_20_streams.listening("family", ALWAYS) as other,
    ):
        await database.write(ticket.delete())  # and the change that announces it has expired
        moment.pass_by(HOUR)
        await wait_until(lambda: listener.ended)
        await events_until(other, RESET)
        assert not other.ended


def test_passing_time_is_no_clock_jump(moment: Moment, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, jumps = Lookback(), ClockJumps(FAR_SECONDS)
    began = monotonic()
    for hours in range(5):
        for module in (room, clock_jumps):
            monkeypatch.setattr(module, "monotonic", lambda hours=hours: began + hours * HOUR)
        assert looks.note_read(moment.at)
        assert not jumps.take_due_look()
        moment.pass_by(HOUR)


def test_small_clock_correction_causes_no_reset(moment: Moment) -> None:
    looks, jumps = Lookback(), ClockJumps(FAR_SECONDS)
    for seconds in (MINUTE, -MINUTE, 5, -5):
        moment.pass_by(seconds)
        assert looks.note_read(moment.at)
        assert not jumps.take_due_look()
