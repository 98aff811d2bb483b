"""What was acknowledged outlives a power cut at any moment, and nothing is there by half."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from homeshelf.table.sqlite.engine import Sqlite
from tests.chance import chance
from tests.table.disk import Acknowledged, Disk, Event, Keeping, Sync, noted
from tests.table.stream import TASKS, assert_whole, keep_writing

PAGES_BEFORE_A_CHECKPOINT = 60
"""SQLite waits for 1,000; here the log begins anew several times in a short run."""
TRANSACTIONS = 600


@pytest.mark.parametrize("keeping", ["everything", "a part", "nothing"])
async def test_a_cut_loses_nothing_that_was_acknowledged(tmp_path: Path, keeping: Keeping) -> None:
    await _cut_often(tmp_path, keeping, cuts=60)


@pytest.mark.torture
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("keeping", ["everything", "a part", "nothing"])
async def test_many_cuts_lose_nothing_that_was_acknowledged(
    tmp_path: Path, keeping: Keeping
) -> None:
    for run in range(12):
        (tmp_path / str(run)).mkdir()
        await _cut_often(tmp_path / str(run), keeping, cuts=100)


async def _cut_often(folder: Path, keeping: Keeping, cuts: int) -> None:
    log = await _log_of_a_run(folder / "homeshelf.db")
    assert sum(event == Sync("homeshelf.db") for event in log) > 3, "no checkpoint was under way"
    dice = chance()
    moments = set(dice.sample(range(len(log)), cuts))
    disk, acknowledged = Disk(), Counter[int]()
    for moment, event in enumerate(log):
        disk.take(event)
        if isinstance(event, Acknowledged):
            acknowledged[event.task] = event.number
        if moment in moments:
            found = folder / str(moment)
            found.mkdir()
            disk.after_a_cut(found, keeping, dice)
            await assert_whole(found / "homeshelf.db", acknowledged)
            shutil.rmtree(found)


async def _log_of_a_run(path: Path) -> Sequence[Event]:
    with noted() as log:
        engine = Sqlite(path)
        engine._writer._connection.wal_autocheckpoint(PAGES_BEFORE_A_CHECKPOINT)
        enough = asyncio.Event()

        def done(task: int, number: int) -> None:
            log.append(Acknowledged(task, number))
            if number * TASKS > TRANSACTIONS:
                enough.set()

        tasks = [asyncio.create_task(keep_writing(engine, task, done)) for task in range(TASKS)]
        await enough.wait()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await engine.close()
    return log
