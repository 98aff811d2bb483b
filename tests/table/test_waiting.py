"""A change waits a few seconds from the request on, for locks and for the queue alike."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from functools import partial
from pathlib import Path

import apsw
import pytest

from homeshelf.table import HELPER, Database, Keys, Record, Unavailable
from homeshelf.table import database as module
from homeshelf.table.deadlines import (
    ACKNOWLEDGED_SECONDS,
    FILE_SECONDS,
    time_left,
    time_limit,
)
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.sqlite.engine import Sqlite
from tests.processes import kept_waiting
from tests.table.faulty_engines import locked
from tests.table.support import Place, list_sort_keys

WAIT = 0.6
SLACK = 0.4
"""The extra seconds of a busy machine."""


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Sqlite]:
    made = Sqlite(tmp_path / "homeshelf.db", wait_seconds=WAIT, sweep_every=None)
    yield made
    await made.close()


async def test_a_lock_that_is_released_in_time_costs_only_time(engine: Sqlite, home: Place) -> None:
    with locked(engine.path) as lock:
        asked = asyncio.create_task(engine.write(home.put("milk")))
        await asyncio.sleep(WAIT - SLACK / 2)
        assert not asked.done()
        lock.release()
        await asked
    assert await engine.get(home.key("milk")) is not None


async def test_a_lock_that_is_not_released_in_time_refuses_for_good(
    engine: Sqlite, home: Place
) -> None:
    with locked(engine.path):
        assert WAIT <= await _refused_after(engine.write(home.put("milk"))) < WAIT + SLACK
    await engine.write(home.put("bread"))
    assert list_sort_keys((await engine.query(home.all())).items) == ["bread"]


async def test_default_wait_for_the_file_is_four_seconds(tmp_path: Path, home: Place) -> None:
    engine = Sqlite(tmp_path / "homeshelf.db")
    with locked(engine.path):
        took = await _refused_after(engine.write(home.put("milk")), FILE_SECONDS)
    assert FILE_SECONDS == 4 <= took < 4 + SLACK
    await engine.close()
    server = DynamoDB("eu-central-1")
    assert max(FILE_SECONDS, server._wire.deadline) <= ACKNOWLEDGED_SECONDS
    await server.close()


async def test_queued_changes_share_one_wait_for_the_file(engine: Sqlite, home: Place) -> None:
    async def ask(number: int) -> float:
        await asyncio.sleep(number * WAIT / 8)
        return await _refused_after(engine.write(home.put(f"{number}")))

    with locked(engine.path):
        waited = await asyncio.gather(*map(ask, range(16)))
    assert all(WAIT - 0.01 <= took < WAIT + SLACK for took in waited), waited
    await engine.write(home.put("later"))
    assert list_sort_keys((await engine.query(home.all())).items) == ["later"]


async def test_begun_job_returns_its_own_outcome(engine: Sqlite) -> None:
    """The job has no time limit, because a slow disk may still complete it."""

    def slowly(_: apsw.Connection) -> str:
        time.sleep(1.5 * WAIT)
        return "done"

    assert await engine._writer.do(slowly) == "done"


async def test_job_behind_a_slow_one_is_refused_in_time_and_never_run(
    engine: Sqlite, home: Place
) -> None:
    slow = asyncio.create_task(engine._writer.do(lambda _: time.sleep(2 * WAIT)))
    await asyncio.sleep(0.05)
    assert WAIT <= await _refused_after(engine.write(home.put("milk"))) < WAIT + SLACK
    assert not slow.done()
    await slow
    await engine.write(home.put("bread"))
    assert list_sort_keys((await engine.query(home.all())).items) == ["bread"]


async def test_job_of_a_failed_group_is_not_retried_after_its_deadline(
    engine: Sqlite, home: Place
) -> None:
    tries: list[str] = []

    def breaks(_: apsw.Connection) -> None:
        tries.append("breaks")
        time.sleep(1.5 * WAIT)
        raise ValueError

    first = asyncio.create_task(engine._writer.do(lambda _: time.sleep(0.1)))
    await asyncio.sleep(0.05)  # the other changes queue behind it
    asked = [engine._writer.do(breaks), engine.write(home.put("milk"))]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable]
    await first
    assert tries == ["breaks"]
    await engine.write(home.put("bread"))
    assert list_sort_keys((await engine.query(home.all())).items) == ["bread"]


async def test_cancelled_caller_does_not_disturb_others(engine: Sqlite, home: Place) -> None:
    with locked(engine.path) as lock:
        asked = [asyncio.create_task(engine.write(home.put(f"{n}"))) for n in range(3)]
        await asyncio.sleep(0.05)
        asked[1].cancel()
        lock.release()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*asked)
        await asyncio.wait(asked)
    assert {"0", "2"} <= set(list_sort_keys((await engine.query(home.all())).items))


class Jar(Record):
    table = HELPER
    keys = Keys(PK="JAR#{jarId}", SK="JAR")

    jar_id: str
    sweets: int = 0
    version: int = 1


JAR = Jar.key(jar_id="kitchen")


async def test_the_time_in_the_queue_for_a_record_counts(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONFLICT_SECONDS", WAIT)
    release = asyncio.Event()
    first = asyncio.create_task(database.retry_with_lock(JAR, release.wait))
    await asyncio.sleep(0)
    tried = []

    async def attempt() -> None:
        tried.append(1)

    assert WAIT <= await _refused_after(database.retry_with_lock(JAR, attempt)) < WAIT + SLACK
    release.set()
    await first
    assert not tried
    await database.retry_with_lock(JAR, attempt)
    assert not database._locks._waiters, "a lock that nobody waits for is kept"


async def test_changes_queued_for_a_record_do_not_each_wait_for_the_file(
    engine: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONFLICT_SECONDS", 1.2 * WAIT)
    database = Database(engine)
    await database.put(Jar(jar_id="kitchen"))

    def one_more(jar: Jar) -> Jar:
        return jar.changed(sweets=jar.sweets + 1, version=jar.version + 1)

    with locked(engine.path):
        changes = [_refused_after(database.change(JAR, one_more)) for _ in range(5)]
        waited = await asyncio.gather(*changes)
    assert max(waited) < 1.2 * WAIT + SLACK, waited
    became = await database.change(JAR, one_more)
    assert became is not None
    assert became.sweets == 1


async def test_task_has_its_own_remaining_time() -> None:
    left = partial(time_left, 100)
    assert left() == 100
    with time_limit(10):
        assert 9 < left() <= 10
        assert time_left(3) == 3

        async def another() -> float:
            return left()

        assert await another() == pytest.approx(10, abs=1)
        assert await asyncio.create_task(another()) == 100
        with time_limit(50) as ends:
            assert ends - time.monotonic() <= 10
        with time_limit(2):
            assert left() <= 2
        assert left() > 8
    assert left() == 100


async def _refused_after(change: Awaitable[object], least: float = WAIT) -> float:
    """Return the seconds until the refusal; above the minimum only running time counts."""
    began, kept = time.monotonic(), kept_waiting()
    with pytest.raises(Unavailable):
        await change
    took = time.monotonic() - began
    return took - min(max(0.0, took - least), max(0.0, kept_waiting() - kept))
