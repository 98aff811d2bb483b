import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from homeshelf.table.engine import Engine
from homeshelf.table.schema import INVENTORY, TABLES
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.conftest import ENGINES, EngineOpener, opener
from tests.table.support import Clock, Place, found_in_index

NAMES = [table.name for table in TABLES]


@pytest.fixture(params=ENGINES)
async def bare(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> AsyncIterator[Engine]:
    """An engine whose tables do not exist."""
    engine = opener(request, tmp_path, clock)()
    if isinstance(engine, Sqlite):
        by_hand(engine.path, *(f'DROP TABLE "{name}"' for name in NAMES))
    yield engine
    await engine.close()


def by_hand(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def test_each_missing_table_is_reported_until_it_is_created(
    bare: Engine, home: Place
) -> None:
    assert await bare.list_tables() == []
    sentences = await bare.check_tables()
    for name, sentence in zip(NAMES, sentences, strict=True):
        assert name in sentence
        assert sentence.endswith("is missing.")
    assert await bare.create_tables() == NAMES
    assert await bare.list_tables() == NAMES
    assert await bare.check_tables() == []
    await bare.write(home.put("milk", **home.index_keys("a")))
    assert await bare.get(home.key("milk")) == home.item("milk", **home.index_keys("a"))
    assert await bare.create_tables() == []
    assert len(await found_in_index(bare, home.indexed(), 1)) == 1


async def test_tables_created_concurrently_exist(bare: Engine) -> None:
    await asyncio.gather(*(bare.create_tables() for _ in range(3)))
    assert await bare.check_tables() == []
    assert await bare.list_tables() == NAMES


async def test_tables_that_exist_are_as_the_schema_needs_them(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk"))
    assert await engine.create_tables() == []
    assert await engine.list_tables() == NAMES
    assert await engine.check_tables() == []
    assert await engine.get(home.key("milk")) == home.item("milk")


async def test_dropped_index_is_reported_and_recreated(tmp_path: Path, home: Place) -> None:
    engine = Sqlite(tmp_path / "homeshelf.db")
    await engine.write(home.put("milk", **home.index_keys("a")))
    by_hand(engine.path, f'DROP INDEX "{INVENTORY.name}.GSI1"')
    (sentence,) = await engine.check_tables()
    assert INVENTORY.name in sentence
    await engine.create_tables()
    assert await engine.check_tables() == []
    assert len((await engine.query(home.indexed())).items) == 1
    await engine.close()


async def test_engine_reads_writes_of_another_engine(
    engine: Engine, open_engine: EngineOpener, home: Place
) -> None:
    other = open_engine()
    await engine.write(home.put("milk"))
    assert await other.get(home.key("milk")) == home.item("milk")
    await other.write(home.put("milk", quantity=2))
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)
    await other.close()
