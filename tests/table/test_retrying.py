"""Concurrent changes of one record: none is lost, and each ends in time."""

import asyncio
from functools import partial
from time import monotonic

import pytest

from homeshelf.table import (
    HELPER,
    ConditionFailed,
    Database,
    Keys,
    Record,
    TransactionCancelled,
    Unavailable,
)
from homeshelf.table import database as module
from homeshelf.table.queues import CROWDED
from tests.costs import count_operations
from tests.databases import Opener


class Jar(Record):
    table = HELPER
    keys = Keys(PK="JAR#{jarId}", SK="JAR")

    jar_id: str
    sweets: int = 0
    version: int = 1


JAR = Jar.key(jar_id="kitchen")


def one_more(jar: Jar) -> Jar:
    return jar.changed(sweets=jar.sweets + 1, version=jar.version + 1)


async def add_one(db: Database) -> Jar | None:
    """Add a sweet, and retry on a conflict: on a slow machine some attempts are refused."""
    while True:
        try:
            return await db.change(JAR, one_more)
        except Unavailable as refused:
            if str(refused) != CROWDED:
                raise


async def test_none_of_two_hundred_concurrent_changes_is_lost(open_another: Opener) -> None:
    databases = [open_another() for _ in range(4)]
    await databases[0].put(Jar(jar_id="kitchen"))
    became = await asyncio.gather(*(add_one(databases[number % 4]) for number in range(200)))
    jar = await databases[0].get(JAR)
    assert jar is not None
    assert (jar.sweets, jar.version) == (200, 201)
    assert sorted(jar.sweets for jar in became if jar) == list(range(1, 201))


async def test_changes_of_one_process_queue_without_conflicts(database: Database) -> None:
    await database.put(Jar(jar_id="kitchen"))
    with count_operations(database) as spent:
        await asyncio.gather(*(database.change(JAR, one_more) for _ in range(50)))
    assert spent == {"get": 50, "put": 50}


async def test_function_that_returns_its_record_writes_nothing(database: Database) -> None:
    jar = Jar(jar_id="kitchen", sweets=3)
    await database.put(jar)
    with count_operations(database) as spent:
        assert await database.change(JAR, lambda jar: jar) == jar
    assert spent == {"get": 1}


async def test_change_of_an_absent_record_returns_none(database: Database) -> None:
    with count_operations(database) as spent:
        assert await database.change(JAR, one_more) is None
    assert spent == {"get": 1}


async def test_record_deleted_before_the_write_stays_deleted(
    open_another: Opener,
) -> None:
    ours, theirs = open_another(), open_another()
    jar = Jar(jar_id="kitchen")
    await ours.put(jar)
    seen: list[Jar | None] = []

    async def attempt() -> None:
        seen.append(found := await ours.get(JAR))
        if found:
            await theirs.write(found.delete())
            await ours.write(one_more(found).replacing(found))

    await ours.retry_with_lock(JAR, attempt)
    assert seen == [jar, None]


async def test_changes_of_several_records_are_repeated_together(open_another: Opener) -> None:
    databases = [open_another() for _ in range(3)]
    await databases[0].batch([Jar(jar_id=name, sweets=60).put() for name in ("kitchen", "hall")])

    async def move_one(database: Database) -> None:
        source, target = await database.get_many([JAR, Jar.key(jar_id="hall")])
        assert source
        assert target
        fewer = source.changed(sweets=source.sweets - 1, version=source.version + 1)
        await database.transact(fewer.replacing(source), one_more(target).replacing(target))

    moves = [each.retry_with_lock(JAR, partial(move_one, each)) for each in databases * 20]
    await asyncio.gather(*moves)
    found = await databases[0].get_many([JAR, Jar.key(jar_id="hall")])
    assert [jar.sweets for jar in found if jar] == [0, 120]


@pytest.mark.parametrize("race", [ConditionFailed(None), TransactionCancelled([])])
async def test_change_that_always_conflicts_raises_unavailable(
    database: Database, monkeypatch: pytest.MonkeyPatch, race: Exception
) -> None:
    monkeypatch.setattr(module, "CONFLICT_SECONDS", 0.1)
    tries = 0

    async def attempt() -> None:
        nonlocal tries
        tries += 1
        raise race

    began = monotonic()
    with pytest.raises(Unavailable, match="too many people"):
        await database.retry_with_lock(JAR, attempt)
    assert 0.1 <= monotonic() - began < 5
    assert tries > 3


async def test_other_exception_is_raised_at_once_and_releases_the_lock(database: Database) -> None:
    await database.put(Jar(jar_id="kitchen"))

    def breaks(_: Jar) -> Jar:
        raise ValueError("empty already")

    with pytest.raises(ValueError, match="empty already"):
        await database.change(JAR, breaks)
    jar = await database.change(JAR, one_more)
    assert jar is not None
    assert jar.sweets == 1


async def test_changes_of_different_records_do_not_wait(
    database: Database,
) -> None:
    release = asyncio.Event()
    waits = asyncio.create_task(database.retry_with_lock(JAR, release.wait))
    await database.put(Jar(jar_id="hall"))
    await asyncio.wait_for(database.change(Jar.key(jar_id="hall"), one_more), 5)
    assert not waits.done()
    release.set()
    await waits


async def test_cancelled_change_leaves_the_queue(database: Database) -> None:
    await database.put(Jar(jar_id="kitchen"))
    release = asyncio.Event()
    first = asyncio.create_task(database.retry_with_lock(JAR, release.wait))
    second, third = (asyncio.create_task(database.change(JAR, one_more)) for _ in range(2))
    await asyncio.sleep(0)
    second.cancel()
    release.set()
    await asyncio.gather(first, third)
    jar = await database.get(JAR)
    assert jar is not None
    assert jar.sweets == 1
    assert not database._locks._waiters, "a lock that nobody waits for is kept"


async def test_any_number_of_records_is_read_in_the_order_asked_for(database: Database) -> None:
    names = [f"{number:03}" for number in range(230)]
    await database.batch([Jar(jar_id=name).put() for name in names if name != "100"])
    found = await database.get_many([Jar.key(jar_id=name) for name in reversed(names)])
    assert [jar and jar.jar_id for jar in found] == [
        None if name == "100" else name for name in reversed(names)
    ]


async def test_a_failed_write_leaves_the_record_in_hand_as_it_was(database: Database) -> None:
    jar = Jar(jar_id="kitchen")
    before = jar.item()
    with pytest.raises(ConditionFailed):
        await database.write(one_more(jar).replacing(jar))
    assert jar.item() == before
