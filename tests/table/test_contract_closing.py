import asyncio
from collections.abc import Awaitable, Callable

import pytest

from homeshelf.table.engine import Unavailable
from homeshelf.table.expressions import Set
from homeshelf.table.schema import SHAREABLES
from tests.table.conftest import EngineOpener
from tests.table.support import Place, put_all

pytestmark = pytest.mark.usefixtures("engine")


async def test_close_waits_for_running_operations(open_engine: EngineOpener, home: Place) -> None:
    engine = open_engine()
    await engine.write(home.put("first"))
    begun = [asyncio.create_task(engine.write(home.put(f"{n:02}"))) for n in range(20)]
    await asyncio.sleep(0)
    await engine.close()
    await asyncio.gather(*begun)
    again = open_engine()
    assert await again.count(home.all()) == 21
    await again.close()


async def test_a_closed_engine_is_unavailable(open_engine: EngineOpener, home: Place) -> None:
    engine = open_engine()
    await engine.write(home.put("first"))
    await engine.close()
    attempts: list[Callable[[], Awaitable[object]]] = [
        lambda: engine.get(home.key("first")),
        lambda: engine.get_many([home.key("first")]),
        lambda: engine.query(home.all()),
        lambda: engine.count(home.all()),
        lambda: engine.write(home.put("second")),
        lambda: engine.write(home.update("first", Set("a", 1))),
        lambda: engine.write(home.delete("first")),
        lambda: engine.transact([home.put("second")]),
        lambda: engine.batch([home.put("second")]),
        lambda: engine.scan(SHAREABLES, 1),
    ]
    for attempt in attempts:
        with pytest.raises(Unavailable):
            await attempt()


async def test_engine_can_be_closed_unused_and_twice(open_engine: EngineOpener) -> None:
    engine = open_engine()
    await engine.close()
    await engine.close()


async def test_close_waits_for_a_running_query(open_engine: EngineOpener, home: Place) -> None:
    engine = open_engine()
    await put_all(engine, home, [f"{number:04}" for number in range(600)], text="x" * 2000)
    begun = asyncio.create_task(engine.count(home.all()))
    await asyncio.sleep(0)
    await engine.close()
    assert await begun == 600
