"""Work stored while the clock was ahead waits no longer than usual after the correction."""

from datetime import timedelta

import pytest

from homeshelf import clock
from homeshelf.coordination import clock_jumps
from homeshelf.coordination.clock_jumps import ClockJumps
from homeshelf.coordination.todos import LONGEST_LEAD, TODOS, Handler, Todo, todo
from homeshelf.coordination.work_queue import QueueReader
from homeshelf.table import Database
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS, OVERLAP_SECONDS
from tests.databases import Opener
from tests.moment import DAY, HOUR, Moment
from tests.queues import Sweeper, first_look_over, todo_in, todos_of, until, working

BACK = pytest.mark.parametrize("seconds", [HOUR, DAY])


@BACK
async def test_running_worker_runs_todo_put_while_the_clock_was_ahead(
    open_another: Opener, moment: Moment, seconds: int
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    async with working(ours, sweeper.sweep):
        await theirs.put(todo_in("08", "hall"))
        await until(lambda: sweeper.did == ["hall"])
        await theirs.put(_todo_from_the_future("03", moment, seconds))
        moment.pass_by(-2 * CLOCKS_DIFFER_SECONDS)
        await until(lambda: sweeper.did == ["hall", "attic"])


@BACK
async def test_failed_todo_is_retried_at_once_when_the_clock_is_set_back(
    database: Database, moment: Moment, seconds: int
) -> None:
    sweeper = Sweeper()

    async def fail_at_first(db: Database, left: Todo) -> None:
        await (sweeper.sweep if left.attempts else sweeper.fail)(db, left)

    async with working(database, fail_at_first):
        await database.put(todo_in("03", "hall"))
        await until(lambda: sweeper.did == ["hall"])
        moment.pass_by(-seconds)
        await until(lambda: sweeper.did == ["hall", "hall"])


@BACK
async def test_new_worker_runs_todo_put_while_the_clock_was_ahead(
    open_another: Opener, moment: Moment, seconds: int
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(_todo_from_the_future("03", moment, seconds))
    async with working(ours, sweeper.sweep):
        await until(lambda: sweeper.did == ["attic"])
    assert await todos_of(theirs) == []


async def test_todo_put_while_the_clock_was_briefly_ahead_is_run(
    database: Database, moment: Moment
) -> None:
    sweeper = Sweeper()
    async with working(database, sweeper.sweep, every=0.5):
        await first_look_over(database)
        moment.pass_by(HOUR)
        await database.put(todo_in("03", "hall"))
        moment.pass_by(-HOUR)
        await until(lambda: sweeper.did == ["hall"])


async def test_todo_in_flight_when_the_clock_is_set_back_is_run(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0.0
    monkeypatch.setattr(clock_jumps, "monotonic", lambda: passed)
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(todo_in("03", "hall"))
    async with working(ours, sweeper.sweep):
        await until(lambda: sweeper.did == ["hall"])
        await theirs.put(_todo_from_the_future("03", moment, HOUR))
        moment.pass_by(-HOUR)
        await until(lambda: sweeper.did == ["hall", "attic"])
        await theirs.put(_todo_from_the_future("03", moment, HOUR))
        moment.pass_by(OVERLAP_SECONDS)
        passed += OVERLAP_SECONDS
        await until(lambda: sweeper.did == ["hall", "attic", "attic"])


async def test_todos_with_a_date_or_a_lead_keep_their_due_time(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    lead = todo("sweep", {"room": "hall"}, moment.at + LONGEST_LEAD)
    dated = todo("sweep", {"room": "attic"}, moment.at + timedelta(days=1))
    assert (lead.not_before, dated.not_before) == (None, dated.due_at)
    await theirs.batch([lead.put(), dated.put(), _todo_from_the_future("03", moment, HOUR).put()])
    async with working(ours, sweeper.sweep):
        await until(lambda: _todos_equal(theirs, lead, dated))
        moment.pass_by(-HOUR)
        await until(lambda: _todos_equal(theirs, dated))
    assert sweeper.did == ["attic", "hall"]


async def test_failed_dated_todo_waits_for_its_date_after_the_clock_is_set_back(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    date = moment.at + timedelta(minutes=30)
    dated = todo("sweep", {"room": "attic"}, date)
    await theirs.put(dated.postponed(moment.at + timedelta(hours=1)))
    handlers: dict[str, Handler] = {"sweep": sweeper.sweep}
    async with working(ours, handlers=handlers):
        await until(lambda: _todos_equal(theirs, dated.changed(attempts=1)))
        assert sweeper.did == []
        moment.at = date
        await until(lambda: sweeper.did == ["attic"])


async def test_todo_set_aside_becomes_due_when_the_clock_is_set_back(
    database: Database, moment: Moment
) -> None:
    await database.put(todo_in("03", "hall"))
    reader = QueueReader(database, TODOS)
    entry = await reader.first("03", consistent=True)
    assert entry is not None
    reader.set_aside(entry, HOUR)
    moment.pass_by(-HOUR)
    await reader.bring_forward("03")
    assert [left.due_at for left in await todos_of(database)] == [clock.timestamp()]


def test_forward_clock_jump_is_ignored_with_back_only(
    moment: Moment,
) -> None:
    jumps, back = ClockJumps(10), ClockJumps(10, back_only=True)
    moment.pass_by(HOUR)
    assert (jumps.take_due_look(), back.take_due_look()) == (True, False)
    moment.pass_by(-HOUR)
    assert (jumps.take_due_look(), back.take_due_look()) == (True, True)
    assert not back.take_due_look()


def _todo_from_the_future(shard: str, moment: Moment, seconds: float) -> Todo:
    """Return a to-do as a process stores it whose clock is ahead by these seconds."""
    due_at = clock.timestamp(moment.at + timedelta(seconds=seconds))
    return todo_in(shard, "attic").changed(due_at=due_at)


async def _todos_equal(db: Database, *left: Todo) -> bool:
    return await todos_of(db) == [*left]
