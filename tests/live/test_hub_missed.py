"""Test that a listener which missed too many changes reloads, and the hub reads few of them."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import change_write
from homeshelf.live import room
from homeshelf.live.hub import Hub
from homeshelf.table import Database
from tests.live.hubs import ALWAYS, ids_in, put_changes
from tests.moment import Moment

MOST = 20
A_PAUSE = 60
"""The seconds after which a room does not read a change again."""


@pytest.fixture(autouse=True)
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", MOST)


@pytest.fixture
async def hub(database: Database) -> AsyncIterator[Hub]:
    made = Hub(database, streams_each=20)
    yield made
    await made.close()


@pytest.fixture
async def page_rendered_at(moment: Moment) -> str:
    """The time at which a page was rendered, a moment ago."""
    return clock.lowest_ordered_id(moment.at - timedelta(seconds=1))


async def change_often(database: Database, number: int, moment: Moment) -> None:
    await database.batch([change_write("family", "Item", str(n), 1) for n in range(number)])
    moment.pass_by(A_PAUSE)


async def test_stream_since_a_page_with_too_many_changes_is_reset_after_few_reads(
    database: Database, hub: Hub, page_rendered_at: str, moment: Moment
) -> None:
    await change_often(database, 10 * MOST, moment)
    before = database.engine.rows
    async with hub.listening("family", ALWAYS, since=page_rendered_at) as listener:
        read = database.engine.rows - before
        assert (await listener.wait_for_events(2)).startswith(b"event: reset\n")
        assert read <= MOST + 1
        later = await put_changes(database, 1)
        assert ids_in(await listener.wait_for_events(2)) == later


async def test_stream_after_an_event_with_too_many_changes_is_reset_after_few_reads(
    database: Database, hub: Hub, moment: Moment
) -> None:
    (last,) = await put_changes(database, 1)
    await change_often(database, 10 * MOST, moment)
    before = database.engine.rows
    async with hub.listening("family", ALWAYS, last) as listener:
        assert database.engine.rows - before <= MOST + 1
        assert (await listener.wait_for_events(2)).startswith(b"event: reset\n")


async def test_stream_since_a_page_gets_just_fewer_changes_than_the_limit(
    database: Database, hub: Hub, page_rendered_at: str, moment: Moment
) -> None:
    await change_often(database, MOST - 1, moment)
    async with hub.listening("family", ALWAYS, since=page_rendered_at) as listener:
        news = await listener.wait_for_events(2)
    assert (news.count(b"data:"), news.count(b"reset")) == (MOST - 1, 0)


async def test_unsent_changes_are_not_all_read_for_the_next_listener(
    database: Database, hub: Hub, page_rendered_at: str, moment: Moment
) -> None:
    async with hub.listening("family", ALWAYS):
        pass
    moment.pass_by(A_PAUSE)
    await change_often(database, 10 * MOST, moment)
    before = database.engine.rows
    async with hub.listening("family", ALWAYS, since=page_rendered_at) as listener:
        assert database.engine.rows - before <= 2 * (MOST + 1)
        assert (await listener.wait_for_events(2)).startswith(b"event: reset\n")
