"""Notices open and end by date or by a change of a related record."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.coordination.adopting import Found
from homeshelf.coordination.belongings import Arrival
from homeshelf.coordination.todos import Todo
from homeshelf.families.notifications import notification_kinds_of
from homeshelf.inventory import notices
from homeshelf.inventory.adjustments import AdjustmentResult
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.inventory.moving import adopt, move_in
from homeshelf.inventory.notices import evaluate_item, evaluate_when_due
from homeshelf.inventory.store import add, adjust, key_of, remove, set_status
from homeshelf.notices.model import Notification, OpenNoticeOfType
from homeshelf.notices.store import unresolved_notices
from homeshelf.outbox.notifications import NOTIFY, Cause
from homeshelf.table import Database, Key
from tests.api_client import add_item
from tests.costs import count_operations
from tests.database_hooks import before_first_transaction, with_hook
from tests.databases import Opener
from tests.forked_processes import run_module
from tests.home import Home
from tests.moment import DAY, Moment
from tests.notices.reminder import (
    REMINDER,
    Reminder,
    evaluation_todos,
    register_notice_kinds,
    run_evaluations,
    store_reminder,
)
from tests.pages import look as read_page
from tests.processes import environment
from tests.queues import todos_of

ROOT = Path(__file__).parents[2]
FOREVER = datetime.fromisoformat("2999-01-01T00:00:00Z")
BY = "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture(autouse=True)
def reminder_kind() -> Iterator[None]:
    with register_notice_kinds(REMINDER):
        yield


@pytest.fixture
async def rice(database: Database) -> InventoryItem:
    return await new_rice(database)


async def new_rice(db: Database) -> InventoryItem:
    new = new_item(clock.new_id(), BY, {"name": "Rice", "quantity": 5})
    return await add(db, new)


def make_period(first: float, last: float) -> tuple[datetime, datetime]:
    now = clock.now()
    return now + timedelta(days=first), now + timedelta(days=last)


async def notice_statuses(db: Database, item: InventoryItem) -> list[str]:
    """Return the statuses of an item's notices, oldest first, and check that a claim names the
    open one."""
    found = await db.all(Notification.where(family_id=item.family_id).up_to_date())
    open_ = {each.notification_id for each in found if each.is_open}
    place = {"family_id": item.family_id, "item_id": item.item_id, "type": "reminder"}
    claim = await db.get(OpenNoticeOfType.key(**place))
    assert ({claim.holder} if claim else set()) == open_
    return [each.status for each in sorted(found, key=lambda each: each.created_at)]


async def evaluation_days(db: Database, item: InventoryItem) -> list[str]:
    return [each.due_at[:10] for each in await evaluation_todos(db, item.family_id, FOREVER)]


async def test_notice_opens_and_ends_on_dates_without_item_changes(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    await store_reminder(database, rice.own_key(), make_period(1, 3))
    assert await notice_statuses(database, rice) == []
    moment.pass_by(DAY - 0.001)
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == []
    moment.pass_by(0.001)
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == ["active"]
    moment.pass_by(2 * DAY)
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == ["resolved"]
    assert await evaluation_days(database, rice) == [], "nothing more can happen by itself"
    assert (await database.get(rice.own_key())) == rice


async def test_evaluation_never_runs_before_its_millisecond(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    begins, ends = make_period(1, 3)
    await store_reminder(database, rice.own_key(), (begins + timedelta(microseconds=300), ends))
    moment.pass_by(DAY)
    await run_evaluations(database, rice.family_id)
    moment.pass_by(0.001)
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == ["active"]


async def test_clock_set_back_loses_no_evaluation(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    await store_reminder(database, rice.own_key(), make_period(1, 3))
    (left,) = await evaluation_todos(database, rice.family_id, FOREVER)
    moment.pass_by(-3600)
    await evaluate_when_due(database, left)
    await database.write(left.delete())
    assert await notice_statuses(database, rice) == ["active"]
    assert len(await evaluation_days(database, rice)) == 1


async def test_related_change_opens_and_ends_notice_in_its_transaction(
    database: Database, rice: InventoryItem
) -> None:
    for days, expected in [
        (make_period(-1, 3), ["active"]),
        (make_period(1, 3), ["resolved"]),
        (make_period(-2, 1), ["resolved", "active"]),
        (None, ["resolved", "resolved"]),
    ]:
        with count_operations(database) as spent:
            await store_reminder(database, rice.own_key(), days)
        assert spent["transact"] == 1
        assert await notice_statuses(database, rice) == expected


async def test_item_change_opens_and_ends_dated_notice(
    database: Database, rice: InventoryItem
) -> None:
    key = rice.own_key()
    await store_reminder(database, key, make_period(-1, 3))
    await set_status(database, key, "archived")
    assert await notice_statuses(database, rice) == ["resolved"]
    await set_status(database, key, "active")
    assert await notice_statuses(database, rice) == ["resolved", "active"]
    await remove(database, key, ())
    assert await notice_statuses(database, rice) == ["resolved", "resolved"]


async def test_item_change_applies_a_date_that_passed_before_evaluation(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    await store_reminder(database, rice.own_key(), make_period(1, 3))
    moment.pass_by(DAY)
    await adjust(database, rice.own_key(), -1, "adjust", BY)
    assert await notice_statuses(database, rice) == ["active"]
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == ["active"], "there is never a second one"
    moment.pass_by(2 * DAY)
    await adjust(database, rice.own_key(), -1, "adjust", BY)
    assert await notice_statuses(database, rice) == ["resolved"]


async def test_change_adds_evaluation_only_for_an_earlier_date(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    key = rice.own_key()
    await store_reminder(database, key, make_period(5, 9))
    assert await evaluation_days(database, rice) == ["2024-11-06"]
    for _ in range(3):
        await adjust(database, key, -1, "adjust", BY)
    await store_reminder(database, key, make_period(7, 9))
    assert await evaluation_days(database, rice) == ["2024-11-06"]
    await store_reminder(database, key, make_period(2, 9))
    assert await evaluation_days(database, rice) == ["2024-11-03", "2024-11-06"]
    moment.pass_by(3 * DAY)
    await run_evaluations(database, rice.family_id)
    assert await evaluation_days(database, rice) == ["2024-11-06", "2024-11-10"]
    moment.pass_by(3 * DAY)
    await run_evaluations(database, rice.family_id)
    assert await evaluation_days(database, rice) == ["2024-11-10"], "both chains have become one"
    assert await notice_statuses(database, rice) == ["active"]


@pytest.mark.parametrize("is_first", ["item", "reminder"])
async def test_concurrent_changes_never_decide_by_stale_records(
    database: Database, rice: InventoryItem, is_first: str
) -> None:
    """Archiving and a new reminder: each alone would keep the notice."""
    key = rice.own_key()
    await set_status(database, key, "archived")

    async def unarchive(db: Database) -> None:
        await set_status(db, key, "active")

    async def set_reminder(db: Database) -> None:
        await store_reminder(db, key, make_period(-1, 3))

    first, second = unarchive, set_reminder
    if is_first == "reminder":
        first, second = second, first
    meanwhile = before_first_transaction(lambda: first(database))
    await second(with_hook(database, meanwhile))
    assert await notice_statuses(database, rice) == ["active"]


async def test_evaluation_opens_no_notice_that_concurrent_adjustment_ends(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    key = rice.own_key()
    await store_reminder(database, key, make_period(1, 3))
    moment.pass_by(DAY)

    meanwhile = before_first_transaction(lambda: evaluate_item(database, key, clock.now()))
    await set_status(with_hook(database, meanwhile), key, "archived")
    assert await notice_statuses(database, rice) == ["resolved"]


async def test_evaluation_retries_after_concurrent_item_change(
    database: Database, moment: Moment, rice: InventoryItem
) -> None:
    key = rice.own_key()
    await store_reminder(database, key, make_period(1, 3))
    moment.pass_by(DAY)
    meanwhile = before_first_transaction(lambda: set_status(database, key, "archived"))
    await evaluate_item(with_hook(database, meanwhile), key, clock.now())
    assert "active" not in await notice_statuses(database, rice)


async def test_concurrent_evaluations_open_one_notice(open_another: Opener, moment: Moment) -> None:
    databases = [open_another() for _ in range(3)]
    rice = await new_rice(databases[0])
    await store_reminder(databases[0], rice.own_key(), make_period(1, 3))
    moment.pass_by(DAY)
    changes = [adjust(db, rice.own_key(), 1, "adjust", BY) for db in databases]
    results = await asyncio.gather(
        *(run_evaluations(db, rice.family_id) for db in databases), *changes
    )
    assert max(each.item.quantity for each in results if isinstance(each, AdjustmentResult)) == 8
    assert await notice_statuses(databases[0], rice) == ["active"]
    told = [each for each in await todos_of(databases[0]) if each.kind == NOTIFY]
    assert len(told) == 1


async def test_many_concurrent_adjustments_fit_into_transactions(
    database: Database, rice: InventoryItem
) -> None:
    await store_reminder(database, rice.own_key(), make_period(1, 3))
    changes = (adjust(database, rice.own_key(), 1, "adjust", BY) for _ in range(120))
    await asyncio.gather(*changes)
    there = await database.get(rice.own_key())
    assert there is not None
    assert there.quantity == 125


async def test_page_and_mail_show_the_texts_of_the_kind(home: Home, moment: Moment) -> None:
    db, rice = home.running.db, await add_item(home.admin, name="Rice", quantity=4)
    key: Key[InventoryItem] = key_of(home.family_id, rice["itemId"])
    await store_reminder(db, key, make_period(-1, 3))
    shown = await read_page(home.admin, "/notices")
    assert shown.in_order("Rice", "have a look", "4 there, until 04 November")
    (notice,) = await db.all(unresolved_notices(home.family_id))
    kinds = notification_kinds_of(home.running.services)
    cause = Cause("reminder", home.family_id, notice.notification_id, clock.timestamp())
    (text,) = await kinds["reminder"].texts(db, [cause])
    assert text is not None
    assert text.lines == ("Have a look at Rice.",)
    moment.pass_by(4 * DAY)
    assert await kinds["reminder"].texts(db, [cause]) == [None], "nobody has looked yet"
    await store_reminder(db, key, None)
    assert await kinds["reminder"].texts(db, [cause]) == [None]
    shown = await read_page(home.admin, "/notices")
    assert shown.in_order("Rice", "was to be looked at 4 days ago, settled just now")


STEPS = 5
"""Five kill points: around the transaction, around the deletion of the to-do, and none."""


async def test_evaluation_survives_a_killed_process(
    db: Database, where: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(clock, "nanoseconds", Moment("2024-11-01T12:00:00Z").nanoseconds)
        items = {step: await new_rice(db) for step in range(1, STEPS + 1)}
        for rice in items.values():
            begins, _ = make_period(1, 3)
            await store_reminder(db, rice.own_key(), (begins, FOREVER))
    lines = "".join(f"{step} {rice.family_id}\n" for step, rice in items.items())
    done = run_module("tests.notices.reminder", [], ROOT, environment(where), lines)
    assert done.stdout.split() == ["killed"] * (STEPS - 1) + ["lived"], done.stderr
    was_open = [await notice_statuses(db, rice) for rice in items.values()]
    assert was_open == [[], *[["active"]] * (STEPS - 1)]
    for rice in items.values():
        await run_evaluations(db, rice.family_id)
        assert await notice_statuses(db, rice) == ["active"]
        assert await evaluation_days(db, rice) == ["2999-01-01"]
        await notices.evaluate_item(db, rice.own_key(), FOREVER)
        assert await notice_statuses(db, rice) == ["resolved"]


async def test_adopted_and_imported_items_are_evaluated_on_their_dates(
    database: Database, moment: Moment
) -> None:
    rice = new_item(clock.new_id(), BY, {"name": "Rice"})
    begins, ends = (each.isoformat() for each in make_period(1, 3))
    reminder = Reminder(family_id=rice.family_id, item_id=rice.item_id, days=(begins, ends))
    await database.batch([rice.put(), reminder.put()])
    found = Found({InventoryItem: [rice]}, clock.timestamp())
    for needs in (await adopt(database, found)).needs:
        await database.transact(*(write for _, write in needs))
    assert (await adopt(database, found)).needs == []
    assert await evaluation_days(database, rice) == ["2024-11-02"]
    moment.pass_by(DAY)
    await run_evaluations(database, rice.family_id)
    assert await notice_statuses(database, rice) == ["active"]
    arrival = Arrival("family", rice.family_id, {InventoryItem: [rice]}, "", clock.timestamp())
    (left,) = [each for each in await move_in(database, arrival) if isinstance(each, Todo)]
    assert (left.about["itemId"], left.due_at[:10]) == (rice.item_id, "2024-11-02")
