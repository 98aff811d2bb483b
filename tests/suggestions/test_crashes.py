"""Test that an approval that is interrupted at any step is complete or did not happen."""

import asyncio
import os
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from homeshelf import clock
from homeshelf.coordination.changes import changes_since
from homeshelf.families.model import Member
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.shopping import store as shopping
from homeshelf.shopping.store import pending_entries
from homeshelf.suggestions import store
from homeshelf.suggestions.model import Suggestion, Type
from homeshelf.suggestions.store import approve
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from tests.database_hooks import Hook, When, with_hook
from tests.forked_processes import run_module
from tests.kill_points import ACTOR
from tests.queues import due_todos
from tests.records import make_record

ROOT = Path(__file__).parents[2]
MOST_STEPS = 80
TYPES: list[Type] = ["add_to_shopping", "create_item"]


class Crash(Exception):
    pass


@pytest.fixture
def kid() -> Member:
    return make_record(Member, family_id=clock.new_id(), role="suggester", name="kid")


@pytest.mark.parametrize("type_", TYPES)
async def test_crash_at_any_operation_leaves_whole_approvals(
    database: Database, kid: Member, type_: Type
) -> None:
    rice = await put_rice(database, kid.family_id)
    for last in count(1):
        wish = await add_wish(database, kid, type_, rice, last)
        try:
            await approve(with_hook(database, crash_at_step(last)), wish.own_key(), 1, ACTOR)
        except Crash:
            continue
        break
    done = await assert_consistent(database, kid.family_id, rice)
    assert done == Counter(pending=last - 2, approved=2)  # the last two crashes came too late
    assert last > 4


@pytest.mark.parametrize("type_", TYPES)
async def test_kill_at_any_step_leaves_whole_approvals(
    tmp_path: Path, kid: Member, type_: Type
) -> None:
    path = tmp_path / "homeshelf.db"
    database = Database(Sqlite(path))
    rice = await put_rice(database, kid.family_id)
    wishes = [await add_wish(database, kid, type_, rice, number) for number in range(MOST_STEPS)]
    killed = await asyncio.to_thread(_approve_with_kills, path, kid.family_id, wishes)
    assert 15 < killed < MOST_STEPS - 1
    done = await assert_consistent(database, kid.family_id, rice)
    assert done == Counter(pending=MOST_STEPS - 2, approved=2)
    for wish in wishes[:killed]:  # a second approval succeeds
        if (await _stored(database, wish)).is_pending:
            await approve(database, wish.own_key(), 1, ACTOR)
    assert (await assert_consistent(database, kid.family_id, rice))["approved"] == killed + 1
    await database.close()


def crash_at_step(last: int) -> Hook:
    steps = count(1)

    async def crash_at_last_step(_moment: When, _operation: str) -> None:
        if next(steps) == last:
            raise Crash

    return crash_at_last_step


def _approve_with_kills(path: Path, family_id: str, wishes: list[Suggestion]) -> int:
    """Return how many approvals were killed before one was completed."""
    ids = "\n".join(wish.suggestion_id for wish in wishes)
    done = run_module("tests.kill_points", ["approve", str(path), family_id], ROOT, os.environ, ids)
    assert done.returncode == 0, done.stderr
    *killed, lived = done.stdout.split()
    assert set(killed) == {"killed"}
    assert lived == "lived"
    return len(killed)


async def put_rice(db: Database, family_id: str) -> InventoryItem:
    rice = make_record(InventoryItem, family_id=family_id, item_id=clock.new_id(), name="Rice")
    return await inventory.add(db, rice)


async def add_wish(
    db: Database, kid: Member, type_: Type, rice: InventoryItem, number: int
) -> Suggestion:
    """Add a wish whose number shows in its entry or item. A new item runs low at once."""
    new = {"proposed_item_name": f"wish {number}", "proposed_threshold": 2}
    more = {"item_id": rice.item_id, "notes": f"wish {number}"}
    wish = new if type_ == "create_item" else more
    return await store.add_suggestion(db, kid, {"type": type_, **wish})


async def assert_consistent(db: Database, family_id: str, rice: InventoryItem) -> Counter[str]:
    """Assert that each wish has exactly the records of its status; return the count by status."""
    wishes = await db.all(store.suggestions_of(family_id).up_to_date())
    approved = sorted(
        str(wish.notes or wish.proposed_item_name) for wish in wishes if not wish.is_pending
    )
    entries = await db.all(shopping.whole_list(family_id).up_to_date())
    items = await db.all(inventory.all_items(family_id).up_to_date())
    new = [item for item in items if item.item_id != rice.item_id]
    assert sorted([str(entry.notes) for entry in entries] + [item.name for item in new]) == approved
    waiting = await pending_entries(db, family_id, rice.item_id)
    assert sorted(waiting.members) == sorted(entry.shopping_item_id for entry in entries)
    notices = await db.all(Notification.where(family_id=family_id).up_to_date())
    claims = await db.all(OpenNotice.where(family_id=family_id).up_to_date())
    ids = sorted(item.item_id for item in new)
    assert sorted(notice.item_id for notice in notices) == ids
    assert sorted(claim.item_id for claim in claims) == ids
    for item in new:
        assert len(await db.all(inventory.history_of(family_id, item.item_id))) == 1
    told = await changes_since(db, family_id, None)
    assert Counter(change.type for change in told if change.version == 2) == Counter(
        {"Suggestion": len(approved)} if approved else {}
    )
    decided = [wish.suggestion_id for wish in wishes if not wish.is_pending]
    mails = [left.about for left in await due_todos(db, clock.now())]
    for kind, about in (
        ("answer", decided),
        ("runs_low", [each.notification_id for each in notices]),
    ):
        assert sorted(mail["id"] for mail in mails if mail["kind"] == kind) == sorted(about)
    return Counter(wish.status for wish in wishes)


async def _stored(db: Database, wish: Suggestion) -> Suggestion:
    found = await db.get(wish.own_key())
    assert found is not None
    return found
