"""The to-dos of a transaction are done, even if their worker fails or dies."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from homeshelf import clock
from homeshelf.coordination import leases
from homeshelf.coordination import todos as table_todos
from homeshelf.coordination.leases import HELD_SECONDS, hold_lease
from homeshelf.coordination.todos import Handler, Todo, run_todo_worker, todo
from homeshelf.coordination.work_queue import SHARDS, shard_of
from homeshelf.table import Database
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from tests.databases import Opener
from tests.moment import Moment
from tests.queues import Sweeper, do_what_is_due, due_todos, todo_in, todos_of, until, working


async def test_due_todo_runs_once(database: Database, moment: Moment) -> None:
    sweeper = Sweeper()
    for room in ("hall", "kitchen", "attic"):
        await database.write(todo("sweep", {"room": room}).put())
        moment.pass_by(1)
    assert await do_what_is_due(database, {"sweep": sweeper.sweep}) == 3
    assert await do_what_is_due(database, {"sweep": sweeper.sweep}) == 0
    assert sweeper.did == ["hall", "kitchen", "attic"]


async def test_later_todo_waits(database: Database, moment: Moment) -> None:
    sweeper = Sweeper()
    later = clock.now() + timedelta(seconds=10)
    await database.write(todo("sweep", {"room": "hall"}, due=later).put())
    moment.pass_by(9.999)
    assert await do_what_is_due(database, {"sweep": sweeper.sweep}) == 0
    moment.pass_by(0.001)
    assert await do_what_is_due(database, {"sweep": sweeper.sweep}) == 1


async def test_failed_todo_is_retried_after_growing_pauses(
    database: Database, moment: Moment
) -> None:
    sweeper = Sweeper()
    await database.write(todo("sweep", {"room": "hall"}).put())
    pauses = []
    for attempts in range(1, 15):
        assert await do_what_is_due(database, {"sweep": sweeper.fail}) == 0
        failed = moment.at
        (left,) = await due_todos(database, failed + timedelta(days=1))
        assert left.attempts == attempts
        moment.move(left.due_at)
        pauses.append((moment.at - failed).total_seconds())
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]
    assert await do_what_is_due(database, {"sweep": sweeper.sweep}) == 1
    assert len(sweeper.did) == 15


async def test_todo_that_fails_or_has_no_handler_delays_no_other(
    database: Database, moment: Moment
) -> None:
    sweeper = Sweeper()
    for kind in ("unheard of", "fail", "sweep"):
        await database.write(todo(kind, {"room": kind}).put())
        moment.pass_by(1)
    handlers: dict[str, Handler] = {"sweep": sweeper.sweep, "fail": sweeper.fail}
    assert await do_what_is_due(database, handlers) == 1
    assert sweeper.did == ["fail", "sweep"]
    left = await due_todos(database, moment.at + timedelta(days=1))
    assert sorted((each.kind, each.attempts) for each in left) == [("fail", 1), ("unheard of", 1)]


async def test_hanging_todo_is_postponed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_todos, "LONGEST_SECONDS", 0.05)
    await database.write(todo("sweep", {"room": "hall"}).put())
    assert await do_what_is_due(database, {"sweep": Sweeper().hang}) == 0
    (left,) = await todos_of(database)
    assert left.attempts == 1


async def test_todo_finished_by_another_process_stays_deleted(
    open_another: Opener,
) -> None:
    ours, theirs = open_another(), open_another()
    await ours.write(todo("sweep", {"room": "hall"}).put())

    async def delete_and_fail(_: Database, left: Todo) -> None:
        await theirs.write(left.delete())
        raise OSError("somebody was here before")

    assert await do_what_is_due(ours, {"sweep": delete_and_fail}) == 0
    assert await todos_of(ours) == []


def test_shard_of_an_id_is_fixed_and_ids_spread_evenly() -> None:
    assert [shard_of(id_) for id_ in ("hall", "kitchen", "attic", "0")] == ["15", "04", "11", "01"]
    assert {shard_of(str(number)) for number in range(400)} == set(SHARDS)


async def test_worker_runs_new_todos_and_releases_leases_when_it_stops(
    open_another: Opener,
) -> None:
    ours, theirs = open_another(), open_another()
    sweeper = Sweeper()
    async with working(ours, sweeper.sweep):
        for room in ("hall", "kitchen"):
            await theirs.write(todo_in("07", room).put())
            await until(partial(sweeper.has_done, room))
    assert await hold_lease(theirs, "todos-07", "theirs")
    assert sweeper.did == ["hall", "kitchen"]


async def test_worker_runs_a_shard_in_order(open_another: Opener, moment: Moment) -> None:
    ours, theirs = open_another(), open_another()
    sweeper = Sweeper()
    rooms = [f"room {number:02}" for number in range(60)]
    for room in rooms:
        await theirs.write(todo_in("03", room).put())
        moment.pass_by(1)
    async with working(ours, sweeper.sweep, every=3600):  # it continues without another poll
        await until(lambda: len(sweeper.did) == len(rooms))
    assert sweeper.did == rooms
    assert await todos_of(theirs) == []


async def test_two_workers_run_each_todo_once(open_another: Opener) -> None:
    one, other = Sweeper(), Sweeper()
    database = open_another()
    async with working(open_another(), one.sweep), working(open_another(), other.sweep):
        await database.batch([todo("sweep", {"room": str(number)}).put() for number in range(80)])
        await until(lambda: len(one.did) + len(other.did) >= 80)
        await until(partial(_is_empty, database))
    assert sorted(map(int, one.did + other.did)) == list(range(80))


async def test_busy_shard_of_one_worker_leaves_other_shards_to_another(
    open_another: Opener,
) -> None:
    sweeper = Sweeper()
    handlers: dict[str, Handler] = {"hang": sweeper.hang, "sweep": sweeper.sweep}
    database = open_another()
    async with working(open_another(), handlers=handlers, shutdown=False):
        await database.write(todo_in("05", "hall", kind="hang").put())
        await until(lambda: sweeper.did == ["hall"])
        async with working(open_another(), sweeper.sweep):
            await database.write(todo_in("05", "kitchen").put())
            await database.write(todo_in("06", "attic").put())
            await until(lambda: sweeper.did == ["hall", "attic"])
            await asyncio.sleep(0.05)
            assert sweeper.did == ["hall", "attic"], "the shard of the busy one is its own"


async def test_hanging_todo_delays_only_its_shard(open_another: Opener) -> None:
    sweeper = Sweeper()
    handlers: dict[str, Handler] = {"hang": sweeper.hang, "sweep": sweeper.sweep}
    database = open_another()
    async with working(database, handlers=handlers, shutdown=False):
        await database.write(todo_in("05", "hall", kind="hang").put())
        await until(lambda: sweeper.did == ["hall"])
        await database.write(todo_in("06", "attic").put())
        await until(lambda: sweeper.did == ["hall", "attic"])


async def test_worker_takes_over_after_the_lease_of_a_crashed_one_expires(
    open_another: Opener, moment: Moment
) -> None:
    victim, survivor = Sweeper(), Sweeper()
    database = open_another()
    await database.write(todo_in("09", "hall").put())
    crashes = run_todo_worker(open_another(), {"sweep": victim.hang}, asyncio.Event(), every=0.005)
    crashing = asyncio.create_task(crashes)
    await until(lambda: victim.did == ["hall"])
    crashing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await crashing
    assert await hold_lease(database, "todos-09", "the one that crashed")
    async with working(open_another(), survivor.sweep):
        await asyncio.sleep(0.05)
        assert survivor.did == [], "the lease is still held"
        moment.pass_by(HELD_SECONDS)
        await until(lambda: survivor.did == ["hall"])
    assert await todos_of(database) == []


async def test_worker_that_lost_its_lease_leaves_the_rest_to_the_new_holder(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewal, lost = leases.renew_lease, asyncio.Event()

    async def renew(db: Database, name: str, holder: str) -> bool:
        is_held = await renewal(db, name, holder)
        if not is_held:
            lost.set()
        return is_held

    monkeypatch.setattr(leases, "RENEWED_SECONDS", 0.02)
    monkeypatch.setattr(leases, "renew_lease", renew)
    ours, theirs = open_another(), open_another()
    did: list[str] = []

    async def run_slowly(_: Database, left: Todo) -> None:
        did.append(str(left.about["room"]))
        moment.pass_by(HELD_SECONDS)
        assert await hold_lease(theirs, "todos-04", "theirs")
        await lost.wait()

    for room in ("hall", "kitchen"):
        await theirs.write(todo_in("04", room).put())
        moment.pass_by(1)
    async with working(ours, run_slowly):
        await until(lost.is_set)
        await asyncio.sleep(0.1)
        assert did == ["hall"]


async def test_worker_without_a_database_waits_and_can_be_stopped() -> None:
    nowhere = "http://127.0.0.1:9"
    credentials = Credentials("nobody", "nothing")
    engine = DynamoDB("eu-central-1", nowhere, credentials=credentials, timeout=0.1, deadline=0.1)
    async with working(database := Database(engine), Sweeper().sweep):
        await until(lambda: engine.consumed["query"] > 1)
    await database.close()


async def _is_empty(database: Database) -> bool:
    return await todos_of(database) == []
