"""A clock that is set: what nobody has been told yet is told all the same."""

from collections.abc import AsyncIterator
from time import monotonic

import pytest

from homeshelf.coordination import clock_jumps
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.clock_jumps import ClockJumps
from homeshelf.live import room
from homeshelf.live.hub import Hub
from homeshelf.live.listener import Listener
from homeshelf.live.room import FAR_SECONDS, Lookback
from homeshelf.table import Database
from tests.live.hubs import ALWAYS, by_ticket, change, eventually, give_ticket, ids_in
from tests.moment import DAY, HOUR, MINUTE, Moment

RESET = b"event: reset\n"


@pytest.fixture
async def switchboard(database: Database) -> AsyncIterator[Hub]:
    made = Hub(database, streams_each=20)
    yield made
    await made.close()


@pytest.fixture
def nothing_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was on its way has come soon."""
    monkeypatch.setattr(room, "ACKNOWLEDGED_SECONDS", 0.1)
    monkeypatch.setattr(room, "OVERLAP_SECONDS", 1.5)
    monkeypatch.setattr(clock_jumps, "OVERLAP_SECONDS", 1.5)


async def write(database: Database, id_: str) -> None:
    await database.write(note_change("family", "Item", id_, 1))


async def hear(listener: Listener, what: bytes) -> bytes:
    """All that it was told until then."""
    heard = b""
    while what not in heard:
        news = await listener.news(5)
        assert news, f"{what!r} did not come after {heard!r}"
        heard += news
    return heard


@pytest.mark.parametrize("seconds", [HOUR - 10, HOUR, 30 * DAY])
async def test_what_expired_before_anybody_read_it_is_to_be_read_again(
    database: Database, switchboard: Hub, moment: Moment, seconds: int
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await hear(listener, b'"id":"told"')
        await write(database, "untold")
        moment.pass_by(seconds)
        await hear(listener, RESET)
        await write(database, "later")
        await hear(listener, b'"id":"later"')


async def test_who_was_away_when_the_clock_was_set_on_hears_so_and_what_came_then(
    database: Database, switchboard: Hub, moment: Moment
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        await write(database, "told")
        *_, last = ids_in(await hear(listener, b'"id":"told"'))
        async with switchboard.listening("family", ALWAYS) as other:
            await write(database, "untold")
            moment.pass_by(HOUR)
            await hear(other, RESET)
            await write(database, "later")
            await hear(other, b'"id":"later"')
    async with switchboard.listening("family", ALWAYS, last) as listener:
        heard = await hear(listener, b'"id":"later"')
        assert heard.index(RESET) < heard.index(b'"id":"later"')
        *_, last = ids_in(heard)
    async with switchboard.listening("family", ALWAYS, last) as listener:
        await write(database, "latest")
        assert RESET not in await hear(listener, b'"id":"latest"')


async def test_who_comes_first_after_the_clock_was_set_on_hears_so(
    database: Database, switchboard: Hub, moment: Moment
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        await write(database, "told")
        *_, last = ids_in(await hear(listener, b'"id":"told"'))
    await write(database, "untold")
    moment.pass_by(HOUR)
    async with switchboard.listening("family", ALWAYS, last) as listener:
        await hear(listener, RESET)


@pytest.mark.usefixtures("nothing_is_slow")
async def test_what_expired_on_its_way_is_to_be_read_again(
    database: Database, switchboard: Hub, moment: Moment
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        slow = change("slow")
        moment.pass_by(HOUR)
        await hear(listener, RESET)
        await database.put(slow)
        await hear(listener, RESET)
        await write(database, "later")
        assert RESET not in await hear(listener, b'"id":"later"')


@pytest.mark.parametrize("seconds", [3 * MINUTE, HOUR, 30 * HOUR])
async def test_what_nobody_read_before_the_clock_was_set_back_is_told(
    database: Database, switchboard: Hub, moment: Moment, seconds: int
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await hear(listener, b'"id":"told"')
        await write(database, "untold")
        moment.pass_by(-seconds)
        assert RESET not in await hear(listener, b'"id":"untold"')


@pytest.mark.usefixtures("nothing_is_slow")
async def test_what_was_on_its_way_when_the_clock_was_set_back_is_told(
    database: Database, switchboard: Hub, moment: Moment
) -> None:
    async with switchboard.listening("family", ALWAYS) as listener:
        await write(database, "told")
        await hear(listener, b'"id":"told"')
        slow = change("slow")
        moment.pass_by(-HOUR)
        await write(database, "quick")
        await hear(listener, b'"id":"quick"')
        await database.put(slow)
        await hear(listener, b'"id":"slow"')


async def test_a_right_whose_end_expired_unread_is_over(
    database: Database, switchboard: Hub, moment: Moment
) -> None:
    ticket = await give_ticket(database, "ada", seconds=DAY)
    async with (
        switchboard.listening("family", by_ticket("ada")) as listener,
        switchboard.listening("family", ALWAYS) as other,
    ):
        await database.write(ticket.delete())  # and what tells so has expired
        moment.pass_by(HOUR)
        await eventually(lambda: listener.ended)
        await hear(other, RESET)
        assert not other.ended


def test_time_that_passes_sets_no_clock(moment: Moment, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, jumps = Lookback(), ClockJumps(FAR_SECONDS)
    began = monotonic()
    for hours in range(5):
        for module in (room, clock_jumps):
            monkeypatch.setattr(module, "monotonic", lambda hours=hours: began + hours * HOUR)
        assert looks.looked(moment.at)
        assert not jumps.ask_for_a_look()
        moment.pass_by(HOUR)


def test_a_clock_that_is_corrected_a_little_disturbs_nobody(moment: Moment) -> None:
    looks, jumps = Lookback(), ClockJumps(FAR_SECONDS)
    for seconds in (MINUTE, -MINUTE, 5, -5):
        moment.pass_by(seconds)
        assert looks.looked(moment.at)
        assert not jumps.ask_for_a_look()
