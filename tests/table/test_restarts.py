"""Reads and writes while a DynamoDB server restarts."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from homeshelf.table.engine import Unavailable
from homeshelf.table.expressions import absent
from tests.table.faulty_engines import IN_TIME, Restartable, opened
from tests.table.support import list_sort_keys, new_place


@pytest.fixture(scope="module")
def restartable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restartable]:
    with Restartable(tmp_path_factory.mktemp("dynoxide") / "tables.db") as server:
        yield server


async def test_engine_reconnects_after_a_server_restart(
    restartable: Restartable,
) -> None:
    engine = opened(restartable.server, restartable.server.endpoint, "")
    await engine.create_tables()
    home = new_place()
    await engine.write(home.put("before"))
    restartable.kill()
    began = time.monotonic()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await engine.write(home.put("meanwhile"))
    assert time.monotonic() - began < IN_TIME
    restartable.start()
    await engine.write(home.put("after"))
    assert list_sort_keys((await engine.query(home.all())).items) == ["after", "before"]
    await engine.close()


async def test_acknowledged_writes_survive_server_restarts(
    restartable: Restartable,
) -> None:
    restartable.kill()
    restartable.start()
    engine = opened(restartable.server, restartable.server.endpoint, "", deadline=10)
    await engine.create_tables()
    home, acknowledged, ended = new_place(), set[str](), False

    async def write(worker: int) -> None:
        n = 0
        while not ended:
            n += 1
            claim = f"{worker}#{n:05}"
            await engine.write(home.put(claim, absent))
            acknowledged.add(claim)

    writers = [asyncio.create_task(write(worker)) for worker in range(4)]
    for _ in range(4):
        await asyncio.sleep(0.2)
        restartable.kill()
        await asyncio.sleep(0.1)
        restartable.start()
    await asyncio.sleep(0.2)
    ended = True
    await asyncio.gather(*writers)
    found = list_sort_keys((await engine.query(home.all())).items)
    assert set(found) == acknowledged
    assert len(acknowledged) > 100
    await engine.close()
