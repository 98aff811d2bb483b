"""What was left while the clock was ahead waits no longer than usual once it is put right."""

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
async def test_running_worker_does_todo_put_while_the_clock_was_ahead(
    open_another: Opener, moment: Moment, seconds: int
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    async with working(ours, sweeper.sweep):
        await theirs.put(todo_in("08", "hall"))
        await until(lambda: sweeper.did == ["hall"])
        await theirs.put(_left_at("03", moment, seconds))
        moment.pass_by(-2 * CLOCKS_DIFFER_SECONDS)
        await until(lambda: sweeper.did == ["hall", "attic"])


@BACK
async def test_failed_todo_is_tried_again_at_once_when_the_clock_is_set_back(
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
async def test_starting_worker_does_todo_put_while_the_clock_was_ahead(
    open_another: Opener, moment: Moment, seconds: int
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(_left_at("03", moment, seconds))
    async with working(ours, sweeper.sweep):
        await until(lambda: sweeper.did == ["attic"])
    assert await todos_of(theirs) == []


async def test_todo_put_while_the_clock_was_ahead_for_less_than_a_look_is_done(
    database: Database, moment: Moment
) -> None:
    sweeper = Sweeper()
    async with working(database, sweeper.sweep, every=0.5):
        await first_look_over(database)
        moment.pass_by(HOUR)
        await database.put(todo_in("03", "hall"))
        moment.pass_by(-HOUR)
        await until(lambda: sweeper.did == ["hall"])


async def test_todo_that_was_on_its_way_when_the_clock_was_set_back_is_done(
    open_another: Opener, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0.0
    monkeypatch.setattr(clock_jumps, "monotonic", lambda: passed)
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    await theirs.put(todo_in("03", "hall"))
    async with working(ours, sweeper.sweep):
        await until(lambda: sweeper.did == ["hall"])
        await theirs.put(_left_at("03", moment, HOUR))
        moment.pass_by(-HOUR)
        await until(lambda: sweeper.did == ["hall", "attic"])
        await theirs.put(_left_at("03", moment, HOUR))
        moment.pass_by(OVERLAP_SECONDS)
        passed += OVERLAP_SECONDS
        await until(lambda: sweeper.did == ["hall", "attic", "attic"])


async def test_todo_with_a_date_and_todo_with_a_lead_keep_them(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    lead = todo("sweep", {"room": "hall"}, moment.at + LONGEST_LEAD)
    dated = todo("sweep", {"room": "attic"}, moment.at + timedelta(days=1))
    assert (lead.not_before, dated.not_before) == (None, dated.due_at)
    await theirs.batch([lead.put(), dated.put(), _left_at("03", moment, HOUR).put()])
    async with working(ours, sweeper.sweep):
        await until(lambda: _are_left(theirs, lead, dated))
        moment.pass_by(-HOUR)
        await until(lambda: _are_left(theirs, dated))
    assert sweeper.did == ["attic", "hall"]


async def test_dated_todo_that_failed_while_the_clock_was_ahead_waits_for_its_date(
    open_another: Opener, moment: Moment
) -> None:
    ours, theirs, sweeper = open_another(), open_another(), Sweeper()
    date = moment.at + timedelta(minutes=30)
    dated = todo("sweep", {"room": "attic"}, date)
    await theirs.put(dated.postponed(moment.at + timedelta(hours=1)))
    handlers: dict[str, Handler] = {"sweep": sweeper.sweep}
    async with working(ours, handlers=handlers):
        await until(lambda: _are_left(theirs, dated.changed(attempts=1)))
        assert sweeper.did == []
        moment.at = date
        await until(lambda: sweeper.did == ["attic"])


async def test_todo_that_is_set_aside_is_made_due_when_the_clock_is_set_back(
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


def test_clock_that_goes_forward_is_ignored_where_only_a_jump_back_matters(
    moment: Moment,
) -> None:
    jumps, back = ClockJumps(10), ClockJumps(10, back_only=True)
    moment.pass_by(HOUR)
    assert (jumps.ask_for_a_look(), back.ask_for_a_look()) == (True, False)
    moment.pass_by(-HOUR)
    assert (jumps.ask_for_a_look(), back.ask_for_a_look()) == (True, True)
    assert not back.ask_for_a_look()


def _left_at(shard: str, moment: Moment, seconds: float) -> Todo:
    """As a process whose clock is ahead by so much leaves it."""
    due_at = clock.timestamp(moment.at + timedelta(seconds=seconds))
    return todo_in(shard, "attic").changed(due_at=due_at)


async def _are_left(db: Database, *left: Todo) -> bool:
    return await todos_of(db) == [*left]
