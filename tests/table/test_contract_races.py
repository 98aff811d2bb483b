"""Concurrent changes of one record: none is lost or counted twice."""

import asyncio

import pytest

from homeshelf.clock import new_id
from homeshelf.table.database import Database
from homeshelf.table.engine import ConditionFailed, Engine
from homeshelf.table.expressions import Add, absent
from homeshelf.table.record import Keys, Record
from homeshelf.table.schema import HELPER
from tests.table.conftest import EngineOpener
from tests.table.support import Place

WORKERS = 32
INCREMENTS = pytest.mark.parametrize(
    "increments", [320, pytest.param(2000, marks=pytest.mark.torture)]
)


class Tally(Record):
    table = HELPER
    keys = Keys(PK="TALLY#{name}", SK="TALLY")

    name: str
    version: int = 0


@INCREMENTS
async def test_no_increment_under_the_version_by_32_workers_is_lost(
    engine: Engine, open_engine: EngineOpener, increments: int
) -> None:
    """Each engine stands for a process: its workers share one queue and race the other engines."""
    name = new_id()
    await engine.write(Tally(name=name).put(absent))
    others = [open_engine() for _ in range(3)]
    databases = [Database(each) for each in (engine, *others)]

    async def work(number: int) -> None:
        for _ in range(number, increments, WORKERS):
            await databases[number % len(databases)].change(
                Tally.key(name=name), lambda tally: tally.changed(version=tally.version + 1)
            )

    await asyncio.gather(*map(work, range(WORKERS)))
    found = await databases[0].get(Tally.key(name=name))
    assert found is not None
    assert found.version == increments
    for other in others:
        await other.close()


@INCREMENTS
async def test_no_addition_without_a_condition_is_lost(
    engine: Engine, home: Place, increments: int
) -> None:
    await engine.write(home.put("tally", count=0))

    async def work(number: int) -> None:
        for _ in range(number, increments, WORKERS):
            await engine.write(home.update("tally", Add("count", 1)))

    await asyncio.gather(*map(work, range(WORKERS)))
    assert await engine.get(home.key("tally")) == home.item("tally", count=increments)


async def test_one_of_several_concurrent_puts_to_an_absent_key_succeeds(
    engine: Engine, home: Place
) -> None:
    async def claim(number: int) -> bool:
        try:
            await engine.write(home.put("place", absent, holder=number))
        except ConditionFailed:
            return False
        return True

    won = await asyncio.gather(*map(claim, range(WORKERS)))
    assert won.count(True) == 1
    assert await engine.get(home.key("place")) == home.item("place", holder=won.index(True))


async def test_concurrent_replacements_form_a_chain(engine: Engine, home: Place) -> None:
    replaced = await asyncio.gather(
        *(engine.write(home.put("it", number=number)) for number in range(WORKERS))
    )
    last = await engine.get(home.key("it"))
    numbers = [item["number"] for item in (*replaced, last) if item is not None]
    assert sorted(int(str(number)) for number in numbers) == list(range(WORKERS))
