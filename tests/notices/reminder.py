"""A notice kind for tests: reminders of an item on certain dates.

`python -m tests.notices.reminder` evaluates the items of families and is killed at the steps in its
input, as `tests.kill_points` does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import pytest

from homeshelf import clock
from homeshelf.coordination.todos import Todo, run_or_postpone
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory import notice_texts, notices
from homeshelf.inventory.low_stock import LOW_STOCK
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind, Related
from homeshelf.notices.model import NoticeState, Notification
from homeshelf.outbox.notifications import NotificationKind, NotificationText
from homeshelf.table import HELPER, Database, Key, Keys, Record, absent
from tests.kill_points import WORK, kill_at_writes
from tests.queues import due_todos


class Reminder(Record):
    table = HELPER
    keys = Keys(PK="REMINDERS#{familyId}", SK="ITEM#{itemId}")

    family_id: str
    item_id: str
    days: tuple[str, str]
    version: int = 1

    @property
    def dates(self) -> tuple[datetime, datetime]:
        begins, ends = map(datetime.fromisoformat, self.days)
        return begins, ends


def _due(item: InventoryItem, related: Related, now: datetime) -> bool:
    (reminder,) = related
    if item.status != "active" or reminder is None:
        return False
    begins, ends = reminder.dates
    return bool(begins <= now < ends)


def _next_evaluation(_item: InventoryItem, related: Related, now: datetime) -> datetime | None:
    (reminder,) = related
    dates = reminder.dates if reminder else ()
    return min((at for at in dates if at > now), default=None)


def _state(item: InventoryItem, related: Related) -> NoticeState:
    (reminder,) = related
    return NoticeState("have a look", "", f"{item.quantity} there, until {reminder.dates[1]:%d %B}")


def _text(item: InventoryItem, _related: Related) -> NotificationText:
    title = f"Have a look at {item.name}"
    return NotificationText(title, (f"{title}.",), f"/stock/{item.item_id}", "Review")


REMINDER = NoticeKind(
    type="reminder",  # type: ignore[arg-type]  # only the tests know it
    notification="reminder",
    due=_due,
    text=_text,
    state=_state,
    past=lambda opened, ended: f"was to be looked at {opened}, settled {ended}",
    reads=lambda family_id, item_id: [Reminder.key(family_id=family_id, item_id=item_id)],
    next_evaluation=_next_evaluation,
)


@transaction
async def store_reminder(
    tx: Transaction, key: Key[InventoryItem], days: tuple[datetime, datetime] | None
) -> None:
    """Set, move or delete the reminder of an item."""
    item = await tx.get(key)
    place: Key[Reminder] = Reminder.key(family_id=item.family_id, item_id=item.item_id)
    old = await tx.find(place)
    new = None
    if days:
        version = old.version + 1 if old else 1
        new = Reminder(
            family_id=item.family_id,
            item_id=item.item_id,
            days=(days[0].isoformat(), days[1].isoformat()),
            version=version,
        )
        tx.write(new.put(old.unchanged if old else absent))
    elif old:
        tx.write(old.delete(old.unchanged))
    tx.write(*await notices.writes_of_related_change(tx.db, item, {place: new}))


@contextmanager
def register_notice_kinds(*kinds: NoticeKind) -> Iterator[None]:
    """Register notice kinds for the duration of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notices, "KINDS", (LOW_STOCK, *kinds))
        for kind in kinds:
            patch.setitem(
                notice_texts.NOTIFICATION_KINDS,
                kind.notification,
                NotificationKind(partial(notice_texts.describe_notices, kind)),
            )
        patch.setattr(Notification.model_fields["type"], "annotation", str)
        Notification.model_rebuild(force=True)
        yield
    Notification.model_rebuild(force=True)


async def evaluation_todos(db: Database, family_id: str, until: datetime) -> list[Todo]:
    """Return the to-dos that evaluate items of a family."""
    due = await due_todos(db, until)
    return [
        it for it in due if it.kind == notices.EVALUATE_TODO and it.about["familyId"] == family_id
    ]


async def run_evaluations(db: Database, family_id: str) -> None:
    """Run the evaluations that are due now."""
    for left in await evaluation_todos(db, family_id, clock.now()):
        await run_or_postpone(db, {notices.EVALUATE_TODO: notices.evaluate_when_due}, left)


async def _run_in_process(db: Database, family_id: str) -> None:
    with register_notice_kinds(REMINDER):
        await run_evaluations(db, family_id)


if __name__ == "__main__":
    WORK["look"] = _run_in_process
    kill_at_writes("look")
