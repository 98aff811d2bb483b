"""A worker starts its own to-dos at once, finds those of others, and survives bad records."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any

import pytest
from structlog.testing import capture_logs

from homeshelf import clock
from homeshelf.coordination import queue_worker as workers
from homeshelf.coordination.leases import HELD_SECONDS, hold_lease, release_lease
from homeshelf.coordination.todos import TODOS, Handler, Todo, run_todo_worker
from homeshelf.coordination.work_queue import FORMER, SHARDS, QueueReader
from homeshelf.table import HELPER, Database, Unavailable
from homeshelf.table.limits import ITEM_BYTES
from homeshelf.table.operations import Delete, Put, Query, item_key
from homeshelf.table.values import measure_item
from tests.database_hooks import When, with_hook
from tests.databases import Opener
from tests.moment import Moment
from tests.queues import Sweeper, first_look_over, todo_in, todos_of, until, working

NEVER = 3600.0
"""The seconds between two polls, so that no to-do is found by polling."""

PUTS: dict[str, Callable[[Database, Todo], Awaitable[None]]] = {
    "put": lambda database, left: database.put(left),
    "write": lambda database, left: database.write(left.put()),
    "transact": lambda database, left: database.transact(left.put()),
    "batch": lambda database, left: database.batch([left.put()]),
}


@pytest.mark.parametrize("way", PUTS)
async def test_todo_of_this_process_runs_at_once(database: Database, way: str) -> None:
    sweeper = Sweeper()
    async with working(database, sweeper.sweep, every=NEVER):
        await first_look_over(database)
        for shard in ("03", "14"):
            await PUTS[way](database, todo_in(shard, shard))
            await until(lambda: sweeper.did[-1:] == [shard])  # noqa: B023  # at once


async def test_later_todo_of_this_process_runs_when_it_is_due(
    database: Database,
) -> None:
    sweeper = Sweeper()
    async with working(database, sweeper.sweep, every=NEVER):
        await first_look_over(database)
        queries = database.engine.consumed["query"]
        due = clock.now() + timedelta(seconds=0.4)
        await database.put(todo_in("03", "attic", due=due + timedelta(hours=1)))
        await asyncio.sleep(0.1)
        assert database.engine.consumed["query"] == queries, "it knows when, and looks then"
        await database.put(todo_in("03", "hall", due=due))
        await until(lambda: sweeper.did == ["hall"])
        assert clock.now() >= due
    assert [left.about["room"] for left in await todos_of(database)] == ["attic"]


async def test_todos_of_other_processes_are_found_soon_after_the_start(
    open_another: Opener,
) -> None:
    ours, others = open_another(), open_another()
    sweeper = Sweeper()
    await others.put(todo_in("03", "hall"))
    async with working(ours, sweeper.sweep, every=NEVER):
        for _ in range(50):
            await asyncio.sleep(0)
        assert ours.engine.consumed["query"] == 0, "who asks meanwhile is answered first"
        await until(lambda: sweeper.did == ["hall"])


async def test_failed_todo_is_retried_without_a_read(database: Database) -> None:
    sweeper = Sweeper()

    async def fail_at_first(db: Database, left: Todo) -> None:
        await (sweeper.sweep if left.attempts else sweeper.fail)(db, left)

    async with working(database, fail_at_first, every=NEVER):
        await first_look_over(database)
        await database.put(todo_in("03", "hall"))
        await until(lambda: sweeper.did == ["hall", "hall"])
    assert await todos_of(database) == []


async def test_todo_with_a_lost_answer_runs_at_once(
    open_another: Opener,
) -> None:
    sweeper, lost = Sweeper(), False

    async def lose_answer(at: When, operation: str) -> None:
        nonlocal lost
        if (at, operation, lost) == ("after", "transact", False):
            lost = True
            raise Unavailable("the answer was lost")

    database = with_hook(open_another(), lose_answer)
    async with working(database, sweeper.sweep, every=NEVER):
        await first_look_over(database)
        with pytest.raises(Unavailable):
            await database.transact(todo_in("03", "hall").put())
        await until(lambda: sweeper.did == ["hall"])


async def test_stopping_worker_finishes_running_todos_and_leaves_the_rest(
    open_another: Opener,
) -> None:
    sweeper, stop = Sweeper(), asyncio.Event()
    ours, theirs = open_another(), open_another()

    async def stop_worker(db: Database, left: Todo) -> None:
        stop.set()
        await asyncio.sleep(0.05)
        await sweeper.sweep(db, left)

    await theirs.batch([todo_in("03", str(number)).put() for number in range(5)])
    await run_todo_worker(ours, {"sweep": stop_worker}, stop)
    assert len(sweeper.did) == 1
    assert len(await todos_of(theirs)) == 4
    assert await hold_lease(theirs, "todos-03", "theirs"), "at once"


async def test_stopping_worker_reads_no_further_shards(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, looked = asyncio.Event(), []
    query = database.engine.query

    async def stop_worker(asked: Query[Any]) -> Any:
        looked.append(asked.partition)
        stop.set()
        await asyncio.sleep(0.01)
        return await query(asked)

    monkeypatch.setattr(database.engine, "query", stop_worker)
    await run_todo_worker(database, {}, stop)
    assert looked == ["TODO#00"]


async def test_ended_worker_is_not_notified(database: Database) -> None:
    sweeper = Sweeper()
    async with working(database, sweeper.sweep):
        pass
    await database.put(todo_in("03", "hall"))
    assert sweeper.did == []


async def test_new_worker_runs_todos_of_an_ended_process(
    open_another: Opener,
) -> None:
    before, sweeper = open_another(), Sweeper()
    await before.batch([todo_in(shard, shard).put() for shard in SHARDS])
    async with working(open_another(), sweeper.sweep, every=NEVER):
        await until(lambda: sorted(sweeper.did) == list(SHARDS))


async def test_todos_of_other_processes_are_found_in_every_shard(open_another: Opener) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    async with working(ours, sweeper.sweep):
        for shard in SHARDS:
            await theirs.put(todo_in(shard, shard))
            await until(lambda: sweeper.did[-1:] == [shard])  # noqa: B023  # at once


async def test_later_todo_of_another_process_runs_when_it_is_due(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(todo_in("08", "hall", due=moment.at + timedelta(minutes=5)))
    async with working(ours, sweeper.sweep):
        await asyncio.sleep(0.1)
        assert sweeper.did == []
        moment.pass_by(300)
        await until(lambda: sweeper.did == ["hall"])


async def test_lease_is_taken_only_for_due_todos(open_another: Opener, moment: Moment) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(todo_in("08", "hall", due=moment.at + timedelta(minutes=5)))
    async with working(ours, sweeper.sweep):
        await asyncio.sleep(0.2)
        assert ours.engine.consumed["put"] == 0
        moment.pass_by(300)
        await until(lambda: sweeper.did == ["hall"])
        await asyncio.sleep(0.1)
    assert ours.engine.consumed["put"] == 1, "one lease"
    assert ours.engine.consumed["delete"] == 2, "what was done, and the lease"


UNREADABLE: dict[str, dict[str, Any]] = {
    "an older shape": {"kind": None},
    "a foreign type": {"about": 7},
    "no time": {"dueAt": None},
}


@pytest.mark.parametrize("damage", UNREADABLE)
async def test_unreadable_todo_stays_and_delays_no_other(
    open_another: Opener, moment: Moment, damage: str
) -> None:
    """There are more unreadable to-dos than one read returns, and they all come first."""
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    damaged = [todo_in("03", f"damaged {number}") for number in range(60)]
    items = [{**left.item(), **UNREADABLE[damage]} for left in damaged]
    await theirs.batch([Put(HELPER, item) for item in items])
    moment.pass_by(1)
    await theirs.put(todo_in("03", "hall"))
    with capture_logs() as logs:
        async with working(ours, sweeper.sweep):
            await until(lambda: sweeper.did == ["hall"])
            for number in range(3):
                await theirs.put(todo_in("03", f"attic {number}"))
                await until(lambda: sweeper.did[-1:] == [f"attic {number}"])  # noqa: B023  # at once
            writes = ours.engine.consumed["put"]
            await asyncio.sleep(0.1)
            assert ours.engine.consumed["put"] == writes, "nothing that can be done is left"
    said = [each for each in logs if each["event"] == "cannot_be_read"]
    assert len(said) == len({each["key"] for each in said}) == 60
    assert "damaged" not in str(logs)
    for item in items:
        kept = await theirs.get(item_key(HELPER, item["PK"], item["SK"]))
        assert kept == item


@pytest.mark.parametrize(
    "error", [RuntimeError, KeyError, RecursionError, AssertionError, asyncio.CancelledError]
)
async def test_any_exception_of_a_handler_leaves_other_todos_running(
    open_another: Opener, moment: Moment, error: type[BaseException]
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()

    async def fail_in_handler(_: Database, left: Todo) -> None:
        raise error(left.about["room"])

    handlers: dict[str, Handler] = {"break": fail_in_handler, "sweep": sweeper.sweep}
    for number in range(30):
        await theirs.put(todo_in("03", str(number), kind="break"))
    moment.pass_by(1)
    await theirs.put(todo_in("03", "hall"))
    async with working(ours, handlers=handlers):
        await until(lambda: sweeper.did == ["hall"])
        await theirs.put(todo_in("03", "attic"))
        await until(lambda: sweeper.did == ["hall", "attic"])
    assert len(await todos_of(theirs)) == 30


async def test_todo_that_can_be_neither_run_nor_postponed_is_set_aside(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FAILED_SECONDS", 0.4)
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    large = todo_in("03", "large", kind="fail")
    item = {name: value for name, value in large.item().items() if name != "attempts"}
    item["about"] = {"room": "large", "rest": ""}
    rest = "x" * (ITEM_BYTES - measure_item(item)[1])
    item["about"] = {"room": "large", "rest": rest}
    await theirs.write(Put(HELPER, item))
    moment.pass_by(1)
    await theirs.put(todo_in("03", "hall"))
    handlers: dict[str, Handler] = {"fail": sweeper.fail, "sweep": sweeper.sweep}
    async with working(ours, handlers=handlers):
        began = monotonic()
        await until(lambda: "hall" in sweeper.did)
        assert sweeper.did == ["large", "hall"]
        await until(lambda: sweeper.did == ["large", "hall", "large"])
        assert monotonic() - began > 0.35


async def test_worker_survives_any_database_error(
    open_another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FAILED_SECONDS", 0.05)
    sweeper, troubles = Sweeper(), [RuntimeError, KeyError, ValueError, OSError]

    async def fail_before_call(at: When, operation: str) -> None:
        if at == "before" and troubles:
            raise troubles.pop()(operation)

    theirs = open_another()
    await theirs.put(todo_in("03", "hall"))
    async with working(with_hook(open_another(), fail_before_call), sweeper.sweep):
        await until(lambda: sweeper.did == ["hall"])
    assert troubles == []


async def test_unreadable_shard_delays_no_other(
    open_another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    query = ours.engine.query

    async def fail_in_first_shard(asked: Any) -> Any:
        if asked.partition == "TODO#00":
            raise ValueError("a type that nobody knows")
        return await query(asked)

    monkeypatch.setattr(ours.engine, "query", fail_in_first_shard)
    await theirs.batch([todo_in(shard, shard).put() for shard in SHARDS])
    async with working(ours, sweeper.sweep):
        await until(lambda: sorted(sweeper.did) == [*SHARDS[1:]])


async def test_todos_in_the_unsharded_partition_are_run(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    rooms = [f"room {number}" for number in range(40)]
    await theirs.batch([_former_todo(todo_in("03", "broken"), kind=None)])
    await theirs.batch([_former_todo(todo_in("12", room)) for room in rooms])
    later = todo_in("12", "later", due=moment.at + timedelta(hours=1))
    await theirs.write(_former_todo(later, unknown="kept"))
    async with working(ours, sweeper.sweep):
        await until(lambda: sorted(sweeper.did) == sorted(rooms))
        await until(partial(_has_todos, theirs, 1))
        (left,) = await todos_of(theirs)
        assert left == later
        assert left.stored is not None
        assert left.stored["unknown"] == "kept"
        await theirs.write(_former_todo(todo_in("12", "by an older process")))
        moment.pass_by(3600)
        await until(lambda: sorted(sweeper.did[-2:]) == ["by an older process", "later"])
    former = await theirs.engine.count(_query_partition("TODO"))
    assert former == 1, "what cannot be read stays"


async def test_todo_done_during_its_move_stays_deleted(
    open_another: Opener,
) -> None:
    ours, theirs = open_another(), open_another()
    await theirs.write(_former_todo(todo_in("12", "hall")))
    reader = QueueReader(ours, TODOS)
    entry = await reader.first(FORMER, consistent=True)
    assert entry is not None
    await theirs.write(Delete(entry.key))
    await reader.replace(entry.key, entry.record)
    assert await todos_of(ours) == []


async def test_unsharded_partition_is_skipped_while_an_older_process_holds_its_lease(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    assert await hold_lease(theirs, "todos", "an older process")
    await theirs.write(_former_todo(todo_in("12", "hall")))
    async with working(ours, sweeper.sweep):
        await asyncio.sleep(0.1)
        assert sweeper.did == []
        moment.pass_by(HELD_SECONDS)
        await until(lambda: sweeper.did == ["hall"])
    await release_lease(theirs, "todos", "an older process")


async def test_todo_that_stays_due_is_not_repeated_without_a_pause(
    open_another: Opener,
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()

    async def put_back(db: Database, left: Todo) -> None:
        await sweeper.sweep(db, left)
        await asyncio.sleep(0)
        stubborn.append(left)

    stubborn: list[Todo] = []

    class UnpostponableTodo(Database):
        async def write(self, write: Any) -> None:
            if write.key.sort != hall.own_key().sort:
                await super().write(write)

    hall = todo_in("03", "hall")
    await theirs.put(hall)
    began = monotonic()
    async with working(UnpostponableTodo(ours.engine), put_back, every=0.1):
        await until(lambda: len(stubborn) >= 4)
    assert monotonic() - began > 0.25, "each time it is left alone for a while"


async def _has_todos(database: Database, number: int) -> bool:
    return len(await todos_of(database)) == number


def _former_todo(left: Todo, **changes: Any) -> Put:
    """Return the write of a to-do in the format without shards."""
    return Put(HELPER, {**left.item(), "PK": "TODO", **changes})


def _query_partition(partition: str) -> Query[Any]:
    return Query(HELPER, partition, dict, consistent=True)
