"""An embedded engine with lagging indexes, as DynamoDB has."""

import asyncio
from pathlib import Path

from homeshelf.table.expressions import Set
from tests.table.faulty_engines import LaggingSqlite
from tests.table.support import Place, found_in_index

LAG = 0.2


async def test_an_index_read_after_a_write_is_stale_and_then_catches_up(
    tmp_path: Path, home: Place
) -> None:
    engine = LaggingSqlite(tmp_path / "homeshelf.db", LAG)
    await engine.write(home.put("milk", quantity=1, **home.index_keys("a")))
    assert await engine.count(home.indexed()) == 0
    assert await engine.count(home.all()) == 1
    await found_in_index(engine, home.indexed(), 1)
    await engine.write(home.update("milk", Set("quantity", 2)))
    assert (await engine.query(home.indexed())).items[0]["quantity"] == 1
    await engine.transact([home.delete("milk")])
    assert await engine.count(home.indexed()) == 1
    await found_in_index(engine, home.indexed(), 0)
    await engine.close()


async def test_the_base_table_does_not_lag(tmp_path: Path, home: Place) -> None:
    engine = LaggingSqlite(tmp_path / "homeshelf.db", LAG)
    await engine.write(home.put("milk"))
    assert await engine.get(home.key("milk"), consistent=False) == home.item("milk")
    assert await engine.count(home.all()) == 1
    await engine.close()


async def test_an_engine_may_be_closed_before_its_indexes_caught_up(
    tmp_path: Path, home: Place
) -> None:
    engine = LaggingSqlite(tmp_path / "homeshelf.db", LAG)
    await engine.write(home.put("milk", **home.index_keys("a")))
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    await engine.close()
    await asyncio.sleep(2 * LAG)
    loop.set_exception_handler(None)
    assert complaints == []
