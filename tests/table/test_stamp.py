from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.clock import seconds
from homeshelf.table import HELPER, Engine
from homeshelf.table.engine import BadRequest
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.engine import Sqlite
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
    await engine.write(home.put("first"))
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
    await engine.write(home.put("first"))
    before = await engine.stamp()
    assert before is not None
    assert await engine.get(home.key("first")) is not None
    assert (await engine.query(home.all())).items
    assert await engine.stamp() == before


async def test_stamp_of_a_server_costs_no_request(engine: Engine) -> None:
    before = engine.consumed.copy()
    await engine.stamp()
    assert engine.consumed == before


async def test_another_process_writing_changes_the_stamp(
    two: tuple[Sqlite, Sqlite], home: Place
) -> None:
    here, there = two
    before = await here.stamp()
    await there.write(home.put("first"))
    assert await here.stamp() != before


async def test_recent_writes_are_found_by_their_expiry(
    two: tuple[Sqlite, Sqlite],
) -> None:
    """Writes of either process are found, only in the given partitions, not in others with their
    prefix."""
    here, there = two
    now = seconds()

    def put(partition: str, sort: str, ttl: int | None) -> Put:
        return Put(HELPER, {"PK": partition, "SK": sort, "ttl": ttl})

    await here.batch([put("NEWS#a", "1", now + 60), put("NEWS#b", "1", now + 70)])
    await there.batch(
        [
            put("NEWS#a", "2", now + 71),
            put("NEWS#a", "old", now + 59),
            put("NEWS#a", "gone", now - 1),
            put("NEWS#a", "for ever", None),
            put("NEWS#a", "late", now + 80),
            put("NEWS", "x", now + 65),
            put("NEWS$", "x", now + 65),
        ]
    )
    found = await here.keys_expiring(HELPER, "NEWS#", now + 60, now + 79)
    assert sorted(found) == [("NEWS#a", "1"), ("NEWS#a", "2"), ("NEWS#b", "1")]
    assert await here.keys_expiring(HELPER, "NEWS#", 0, now) == []


async def test_search_by_expiry_that_needs_a_scan_is_refused(engine: Engine) -> None:
    if isinstance(engine, Sqlite):
        assert await engine.keys_expiring(HELPER, "NOTHING#", 0, 1) == []
        return
    assert await engine.stamp() is None
    with pytest.raises(BadRequest, match="scan"):
        await engine.keys_expiring(HELPER, "NOTHING#", 0, 1)
