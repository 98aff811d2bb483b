"""What a transaction left over is done once, by one worker, whoever crashes meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import pytest

from homeshelf import clock
from homeshelf.table import Database
from homeshelf.table.dynamodb import DynamoDB
from homeshelf.table.dynamodb_credentials import Credentials
from homeshelf.table.todos import (
    HELD_SECONDS,
    Handler,
    Todo,
    do_what_is_due,
    due_todos,
    hold_lease,
    keep_working,
    release_lease,
    todo,
)
from tests.databases import Opener
from tests.moment import Moment


class Worker:
    """Notes what it was given to do."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def has_done(self, room: str) -> bool:
        return room in self.did

    async def sweep(self, _: Database, left: Todo) -> None:
        self.did.append(str(left.about["room"]))

    async def fail(self, _: Database, left: Todo) -> None:
        self.did.append(str(left.about["room"]))
        raise OSError("the broom is broken")


async def test_what_is_due_is_done_once_and_in_its_order(
    database: Database, moment: Moment
) -> None:
    worker = Worker()
    for room in ("hall", "kitchen", "attic"):
        await database.write(todo("sweep", {"room": room}).put())
        moment.pass_by(1)
    assert await do_what_is_due(database, {"sweep": worker.sweep}) == 3
    assert await do_what_is_due(database, {"sweep": worker.sweep}) == 0
    assert worker.did == ["hall", "kitchen", "attic"]


async def test_what_is_due_later_waits(database: Database, moment: Moment) -> None:
    worker = Worker()
    later = clock.now() + timedelta(seconds=10)
    await database.write(todo("sweep", {"room": "hall"}, due=later).put())
    moment.pass_by(9.999)
    assert await do_what_is_due(database, {"sweep": worker.sweep}) == 0
    moment.pass_by(0.001)
    assert await do_what_is_due(database, {"sweep": worker.sweep}) == 1


async def test_a_handful_is_done_at_a_time_until_nothing_is_left(database: Database) -> None:
    worker = Worker()
    await database.batch([todo("sweep", {"room": str(number)}).put() for number in range(60)])
    rounds = [await do_what_is_due(database, {"sweep": worker.sweep}) for _ in range(4)]
    assert rounds == [25, 25, 10, 0]
    assert sorted(map(int, worker.did)) == list(range(60))


async def test_what_fails_is_tried_again_after_ever_longer_pauses(
    database: Database, moment: Moment
) -> None:
    worker = Worker()
    await database.write(todo("sweep", {"room": "hall"}).put())
    pauses = []
    for attempts in range(1, 15):
        assert await do_what_is_due(database, {"sweep": worker.fail}) == 0
        failed = moment.at
        (left,) = await due_todos(database, failed + timedelta(days=1))
        assert left.attempts == attempts
        moment.move(left.due_at)
        pauses.append((moment.at - failed).total_seconds())
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]
    assert await do_what_is_due(database, {"sweep": worker.sweep}) == 1
    assert len(worker.did) == 15


async def test_what_fails_or_has_no_handler_does_not_hold_up_the_others(
    database: Database, moment: Moment
) -> None:
    worker = Worker()
    for kind in ("unheard of", "fail", "sweep"):
        await database.write(todo(kind, {"room": kind}).put())
        moment.pass_by(1)
    handlers: dict[str, Handler] = {"sweep": worker.sweep, "fail": worker.fail}
    assert await do_what_is_due(database, handlers) == 1
    assert worker.did == ["fail", "sweep"]
    left = await due_todos(database, moment.at + timedelta(days=1))
    assert sorted((each.kind, each.attempts) for each in left) == [("fail", 1), ("unheard of", 1)]


async def test_what_somebody_else_finished_meanwhile_does_not_come_back(
    open_another: Opener,
) -> None:
    ours, theirs = open_another(), open_another()
    await ours.write(todo("sweep", {"room": "hall"}).put())

    async def too_late(_: Database, left: Todo) -> None:
        await theirs.write(left.delete())
        raise OSError("somebody was here before")

    assert await do_what_is_due(ours, {"sweep": too_late}) == 0
    assert await due_todos(ours, clock.now() + timedelta(days=1)) == []


async def test_one_of_those_who_want_a_lease_at_once_has_it(open_another: Opener) -> None:
    databases = [open_another() for _ in range(5)]
    held = await asyncio.gather(
        *(hold_lease(database, "todos", f"w{n}") for n, database in enumerate(databases))
    )
    assert sorted(held) == [False, False, False, False, True]
    holder = f"w{held.index(True)}"
    assert await hold_lease(databases[0], "todos", holder), "its holder renews it"
    assert await hold_lease(databases[0], "another", "w9"), "each name is a lease of its own"


async def test_a_lease_that_is_renewed_is_kept_and_one_that_runs_out_is_free(
    database: Database, moment: Moment
) -> None:
    assert await hold_lease(database, "todos", "ours")
    moment.pass_by(HELD_SECONDS - 1)
    assert await hold_lease(database, "todos", "ours")
    moment.pass_by(HELD_SECONDS - 1)
    assert not await hold_lease(database, "todos", "theirs")
    moment.pass_by(1)
    assert await hold_lease(database, "todos", "theirs")
    assert not await hold_lease(database, "todos", "ours")


async def test_a_lease_is_released_by_its_holder_only(database: Database) -> None:
    assert await hold_lease(database, "todos", "ours")
    await release_lease(database, "todos", "theirs")
    assert not await hold_lease(database, "todos", "theirs")
    await release_lease(database, "todos", "ours")
    assert await hold_lease(database, "todos", "theirs")


async def test_a_worker_does_what_comes_and_lets_go_when_it_stops(open_another: Opener) -> None:
    ours, theirs = open_another(), open_another()
    worker = Worker()
    async with working(ours, worker.sweep):
        for room in ("hall", "kitchen"):
            await theirs.write(todo("sweep", {"room": room}).put())
            await until(partial(worker.has_done, room))
    assert await hold_lease(theirs, "todos", "theirs")
    assert worker.did == ["hall", "kitchen"]


async def test_of_two_workers_one_works(open_another: Opener) -> None:
    one, other = Worker(), Worker()
    database = open_another()
    async with working(open_another(), one.sweep), working(open_another(), other.sweep):
        await database.batch([todo("sweep", {"room": str(number)}).put() for number in range(40)])
        await until(lambda: len(one.did) + len(other.did) == 40)
    assert {len(one.did), len(other.did)} == {0, 40}


async def test_another_worker_goes_on_when_the_lease_of_one_that_crashed_runs_out(
    open_another: Opener, moment: Moment
) -> None:
    stuck, survivor = asyncio.Event(), Worker()
    database = open_another()
    await database.write(todo("sweep", {"room": "hall"}).put())

    async def never_ends(_: Database, __: Todo) -> None:
        stuck.set()
        await asyncio.Event().wait()

    crashes = keep_working(open_another(), {"sweep": never_ends}, asyncio.Event(), every=0.005)
    crashing = asyncio.create_task(crashes)
    await stuck.wait()
    crashing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await crashing
    async with working(open_another(), survivor.sweep):
        await asyncio.sleep(0.05)
        assert survivor.did == [], "the lease is still held"
        moment.pass_by(HELD_SECONDS)
        await until(lambda: survivor.did == ["hall"])
    assert await due_todos(database, moment.at) == []


async def test_a_worker_whose_database_is_away_waits_and_stops_when_told() -> None:
    nowhere = "http://127.0.0.1:9"
    credentials = Credentials("nobody", "nothing")
    engine = DynamoDB("eu-central-1", nowhere, credentials=credentials, timeout=0.1, deadline=0.1)
    async with working(database := Database(engine), Worker().sweep):
        await until(lambda: engine.consumed["put"] > 1)
    await database.close()


@asynccontextmanager
async def working(database: Database, sweep: Handler) -> AsyncIterator[None]:
    stop = asyncio.Event()
    work = asyncio.create_task(keep_working(database, {"sweep": sweep}, stop, every=0.005))
    try:
        yield
    finally:
        stop.set()
        await work


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # what is waited for tells nobody
            await asyncio.sleep(0.002)
