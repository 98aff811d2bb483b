from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.table import Engine
from homeshelf.table.sqlite import Sqlite
from tests.table.support import Place


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Sqlite, Sqlite]]:
    """The same file, opened twice as by two processes."""
    both = Sqlite(tmp_path / "homeshelf.db"), Sqlite(tmp_path / "homeshelf.db")
    yield both
    for engine in both:
        await engine.close()


async def test_every_write_changes_the_stamp_where_there_is_one(
    engine: Engine, home: Place
) -> None:
    before = await engine.stamp()
    if before is None:
        return
    await engine.put(home.put("first"))
    after = await engine.stamp()
    assert after != before
    await engine.transact([home.put("second"), home.delete("first")])
    assert await engine.stamp() != after


async def test_reading_leaves_the_stamp_alone(engine: Engine, home: Place) -> None:
    before = await engine.stamp()
    await engine.get(home.key("first"))
    await engine.query(home.all())
    assert await engine.stamp() == before


async def test_another_process_writing_changes_the_stamp(
    two: tuple[Sqlite, Sqlite], home: Place
) -> None:
    here, there = two
    before = await here.stamp()
    await there.put(home.put("first"))
    assert await here.stamp() != before
