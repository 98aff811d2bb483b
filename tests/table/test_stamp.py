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


async def test_every_write_changes_the_stamp_of_a_file_and_a_server_has_none(
    engine: Engine, home: Place
) -> None:
    stamps = [await engine.stamp()]
    await engine.put(home.put("first"))
    stamps.append(await engine.stamp())
    await engine.transact([home.put("second"), home.delete("first")])
    stamps.append(await engine.stamp())
    if isinstance(engine, Sqlite):
        assert None not in stamps
        assert len(set(stamps)) == len(stamps)
    else:
        assert set(stamps) == {None}


async def test_reading_leaves_the_stamp_of_a_file_alone(
    two: tuple[Sqlite, Sqlite], home: Place
) -> None:
    engine, _ = two
    await engine.put(home.put("first"))
    before = await engine.stamp()
    assert before is not None
    assert await engine.get(home.key("first")) is not None
    assert (await engine.query(home.all())).items
    assert await engine.stamp() == before


async def test_asking_for_the_stamp_of_a_server_asks_nobody(engine: Engine) -> None:
    before = engine.consumed.copy()
    await engine.stamp()
    assert engine.consumed == before


async def test_another_process_writing_changes_the_stamp(
    two: tuple[Sqlite, Sqlite], home: Place
) -> None:
    here, there = two
    before = await here.stamp()
    await there.put(home.put("first"))
    assert await here.stamp() != before
