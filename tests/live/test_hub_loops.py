"""The cost of the hub's loops, and that they continue."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from homeshelf.coordination.changes import change_write
from homeshelf.live import hub
from homeshelf.live.hub import Hub
from homeshelf.table import HELPER, Database, Engine, Page, Query
from homeshelf.table.engine import Unavailable
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Put
from tests.costs import Bill
from tests.databases import Opener
from tests.live.hubs import ALWAYS, give_ticket, ids_in, put_changes, ticket_right, with_query

FASTER = 20
FAMILY_UNITS, LISTENER_UNITS = 1.0, 0.1
"""Read units per second, for each family with listeners and for each further listener in it."""
MIN_UNITS = 0.5
"""The smallest plausible cost; less would mean that reads are not counted."""
STAMPED = pytest.mark.parametrize("open_another", ["sqlite"], indirect=True)
"""Engines with a stamp that shows new writes."""
CHARGED = pytest.mark.parametrize("open_another", ["dynoxide"], indirect=True)
"""Engines where reading costs units."""


@pytest.fixture
def short_retry_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "TROUBLE_SECONDS", 0.1)


@pytest.mark.usefixtures("short_retry_pause")
async def test_failing_room_delays_no_other(database: Database) -> None:
    broken = True

    async def query(engine: Engine, query: Query[Any]) -> Page[Item]:
        if broken and not query.consistent and str(query.partition).endswith("broken"):
            raise RuntimeError("what is this?")
        return await engine.query(query)

    switchboard = Hub(with_query(database, query), 20)
    async with (
        switchboard.listening("broken", ALWAYS) as waiting,
        switchboard.listening("family", ALWAYS) as listener,
    ):
        missed = await put_changes(database, 1, "broken")
        for _ in range(3):
            changed = await put_changes(database, 1)
            assert ids_in(await listener.wait_for_events(2)) == changed
        broken = False
        assert ids_in(await waiting.wait_for_events(3)) == missed
    await switchboard.close()


@pytest.mark.usefixtures("short_retry_pause")
async def test_slow_room_delays_no_other(database: Database) -> None:
    async def query(engine: Engine, query: Query[Any]) -> Page[Item]:
        if not query.consistent and str(query.partition).endswith("slow"):
            await asyncio.sleep(60)
        return await engine.query(query)

    switchboard = Hub(with_query(database, query), 20)
    async with (
        switchboard.listening("slow", ALWAYS),
        switchboard.listening("family", ALWAYS) as listener,
    ):
        await put_changes(database, 1, "slow")
        for _ in range(3):
            changed = await put_changes(database, 1)
            assert ids_in(await listener.wait_for_events(2)) == changed
    await asyncio.wait_for(switchboard.close(), 1)


@pytest.mark.usefixtures("short_retry_pause")
async def test_loops_survive_any_engine_error(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "CHECK_SECONDS", 0.1)
    switchboard = Hub(database, 20)
    await give_ticket(database, "ada")
    names = ["stamp", "query", "get_many"]
    if await database.engine.stamp() is not None:
        names.append("keys_expiring")
    async with switchboard.listening("family", ticket_right("ada")) as listener:
        for name in names:
            failed = asyncio.Event()
            raised = Unavailable("come back later") if name == "get_many" else RuntimeError(name)
            with monkeypatch.context() as patch:
                patch.setattr(database.engine, name, failing_call(raised, failed))
                missed = await put_changes(database, 1)
                await asyncio.wait_for(failed.wait(), 5)
            changed = missed + await put_changes(database, 1)
            heard: list[str] = []
            while len(heard) < 2:
                heard += ids_in(await listener.wait_for_events(3))
            assert heard == changed
    await switchboard.close()


async def test_closing_ends_every_part_despite_failures(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    switchboard = Hub(database, 20)
    before = asyncio.all_tasks()
    async with (
        switchboard.listening("family", ALWAYS) as listener,
        switchboard.listening("other", ALWAYS) as other,
    ):
        failed = asyncio.Event()
        for name in ("stamp", "query", "get_many", "keys_expiring"):
            failing = failing_call(RuntimeError("whatever"), failed)
            monkeypatch.setattr(database.engine, name, failing)
        await asyncio.wait_for(failed.wait(), 5)
        await switchboard.close()
        assert listener.ended
        assert other.ended
        assert asyncio.all_tasks() <= before


@pytest.mark.usefixtures("short_retry_pause")
async def test_unreadable_change_delays_no_other(database: Database) -> None:
    switchboard = Hub(database, 20)
    async with switchboard.listening("family", ALWAYS) as listener:
        strange = dict(change_write("family", "Item", "1", 1).item) | {"version": "third"}
        await database.write(Put(HELPER, strange))
        changed = await put_changes(database, 1)
        assert ids_in(await listener.wait_for_events(3)) == changed
    await switchboard.close()


@STAMPED
async def test_write_wakes_only_listeners_of_its_family(
    database: Database, open_another: Opener
) -> None:
    """The write may come from any process. Without a stamp all listeners are checked in turn."""
    assert await database.engine.stamp() is not None
    switchboard = Hub(database, 200)
    other = open_another()
    async with AsyncExitStack() as stack:
        listeners = [
            await stack.enter_async_context(switchboard.listening(f"family {n}", ALWAYS))
            for n in range(100)
        ]
        await asyncio.sleep(2 * hub.STAMP_SECONDS)
        for writer in (database, other):
            before = database.engine.consumed.copy()
            changed = await put_changes(writer, 1, "family 7")
            assert ids_in(await listeners[7].wait_for_events(2)) == changed
            spent: Counter[str] = database.engine.consumed - before
            assert spent["query"] == 1
            assert spent["keys_expiring"] <= 2
    await switchboard.close()


@CHARGED
async def test_listening_family_costs_at_most_one_read_unit_a_second(
    units_per_second: "Meter",
) -> None:
    one = [await units_per_second(families=1, listeners=1)]
    while one[-1] <= MIN_UNITS and len(one) < 3:  # a busy machine polls less often
        one.append(await units_per_second(families=1, listeners=1))
    assert MIN_UNITS < max(one) <= FAMILY_UNITS
    many = await units_per_second(families=5, listeners=4)
    assert many <= 5 * (FAMILY_UNITS + 3 * LISTENER_UNITS)


@CHARGED
async def test_family_with_only_hidden_pages_costs_less(units_per_second: "Meter") -> None:
    assert await units_per_second(families=3, listeners=2, visible=False) <= 3 * 0.35


class Meter:
    """A meter of the read units of listeners, each with a right of three records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, *, families: int, listeners: int, visible: bool = True) -> float:
        switchboard = Hub(self._database, 100)
        async with AsyncExitStack() as stack:
            for family in range(families):
                for number in range(listeners):
                    right = await self._right(f"{family}.{number}")
                    listening = switchboard.listening(str(family), right, visible=visible)
                    await stack.enter_async_context(listening)
            bill, seconds = Bill(self._database.engine), 3.3
            await asyncio.sleep(seconds)
            spent = bill.units
            assert spent.write == 0
        await switchboard.close()
        return spent.read / seconds / FASTER

    async def _right(self, name: str) -> Any:
        rights = [ticket_right(f"{name}.{part}") for part in range(3)]
        for part in range(3):
            await give_ticket(self._database, f"{name}.{part}")
        keys = [key for right in rights for key in right.keys]
        return type(rights[0])(keys, lambda found: min(each.until for each in found))


@pytest.fixture
async def units_per_second(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    usual_polling: None,  # noqa: ARG001  # its pace is made faster
) -> Meter:
    """A meter with a hub that polls twenty times as often."""
    assert await database.engine.stamp() is None
    for name in ("ASK_SECONDS", "HIDDEN_SECONDS", "CHECK_SECONDS", "CHECK_TURN_SECONDS"):
        monkeypatch.setattr(hub, name, getattr(hub, name) / FASTER)
    return Meter(database)


def failing_call(error: Exception, failed: asyncio.Event) -> Callable[..., Awaitable[Any]]:
    async def fail(*_: Any, **__: Any) -> Any:
        failed.set()
        raise error

    return fail
