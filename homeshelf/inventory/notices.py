"""The notice kinds, and the writes that open and resolve notices when an item changes.

A kind that depends only on its item compares the item before and after the change. For other kinds,
the transaction reads the claim and the related records and checks that both are unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from homeshelf import clock
from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory.low_stock import LOW_STOCK
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind, Related
from homeshelf.notices.model import MAX_EXTRA_NOTICES, NoticeClaim, Notification, claim_on
from homeshelf.notices.store import open_notice_writes, resolve_notice_writes
from homeshelf.table import (
    Check,
    Database,
    Item,
    Key,
    Record,
    Refusal,
    TransactionCancelled,
    Write,
    absent,
    attr,
)

KINDS: tuple[NoticeKind, ...] = (LOW_STOCK,)

EVALUATE_TODO = "look_at_item"
"""The stored kind of the to-do that evaluates an item's notices on a date."""
ROUNDING_MARGIN = timedelta(microseconds=999)
"""Timestamps round down; without this margin the to-do would run too early."""

RecordChanges = Mapping[Key[Any], Record | None]
NO_CHANGES: RecordChanges = MappingProxyType({})


async def writes_of_related_change(
    db: Database, item: InventoryItem, changed: RecordChanges
) -> list[Write]:
    """Return the notice writes for a transaction that changes only related records."""
    return [item.check(item.unchanged), *await writes_of_item_change(db, item, item, changed)]


@transaction
async def evaluate_item(tx: Transaction, key: Key[InventoryItem], at: datetime) -> None:
    item = await tx.find(key)
    if item is not None:
        tx.write(item.check(item.unchanged))
        tx.write(*await writes_of_item_change(tx.db, item, item, scheduled_at=at))


async def evaluate_when_due(db: Database, task: Todo) -> None:
    key = InventoryItem.key(family_id=task.about["familyId"], item_id=task.about["itemId"])
    date = datetime.fromisoformat(task.date or task.due_at)
    await evaluate_item(db, key, max(clock.now(), date))  # the clock may have been set back


def evaluation_todo(item: InventoryItem, at: datetime) -> Todo:
    """Return the to-do for a date; storing it twice changes nothing."""
    about = {"familyId": item.family_id, "itemId": item.item_id}
    return todo(EVALUATE_TODO, about, at + ROUNDING_MARGIN).changed(todo_id=item.item_id)


def has_dated_kinds() -> bool:
    return not all(kind.depends_only_on_item for kind in KINDS)


def max_writes(family_id: str, item_id: str) -> int:
    """Return the writes of the largest notice change: every notice is resolved."""
    return has_dated_kinds() + sum(
        3 + MAX_EXTRA_NOTICES + len(kind.reads(family_id, item_id)) for kind in KINDS
    )


async def writes_of_item_change(
    db: Database,
    old: InventoryItem | None,
    new: InventoryItem | None,
    changed: RecordChanges = NO_CHANGES,
    scheduled_at: datetime | None = None,
) -> list[Write]:
    """Return the notice writes for a change of an item and of the related records in `changed`."""
    now = scheduled_at or clock.now()
    writes: list[Write] = []
    dates_before, dates_after = [], []
    item = new or old
    assert item is not None  # noqa: S101  # a change has one of them
    for kind in KINDS:
        if kind.depends_only_on_item:
            writes += await _transition_writes(db, kind, old, new, now)
            continue
        claim, before, after, checks = await _read_inputs(db, kind, item, changed)
        is_due = new is not None and kind.due(new, after, now)
        writes += [*checks, *await _evaluated_writes(db, kind, item, claim, is_due=is_due)]
        if old is not None and scheduled_at is None:
            dates_before.append(kind.next_evaluation(old, before, now))
        if new is not None:
            dates_after.append(kind.next_evaluation(new, after, now))
    previous, upcoming = _earliest(dates_before, now), _earliest(dates_after, now)
    if upcoming and (previous is None or upcoming < previous):  # otherwise `previous` schedules it
        writes.append(evaluation_todo(item, upcoming).put())
    return writes


async def _transition_writes(
    db: Database,
    kind: NoticeKind,
    old: InventoryItem | None,
    new: InventoryItem | None,
    now: datetime,
) -> Sequence[Write]:
    was_due = old is not None and kind.due(old, (), now)
    is_due = new is not None and kind.due(new, (), now)
    if new and is_due and not was_due:
        return open_notice_writes(
            notice_of(kind, new), kind.notification, _resolve_stale_notice(db, kind, new)
        )
    if old and was_due and not is_due:
        return await resolve_notice_writes(db, await db.get(_claim_key(kind, old)))
    return ()


async def _read_inputs(
    db: Database, kind: NoticeKind, item: InventoryItem, changed: RecordChanges
) -> tuple[NoticeClaim | None, Related, Related, Sequence[Check]]:
    """Return the claim, the related records before and after the change, and their checks."""
    keys: list[Key[Any]] = [*kind.reads(item.family_id, item.item_id)]
    claim, *before = await db.get_many([_claim_key(kind, item), *keys])
    after = [changed.get(key, record) for key, record in zip(keys, before, strict=True)]
    checks = [
        Check(key, absent) if record is None else record.check(record.unchanged)
        for key, record in zip(keys, before, strict=True)
    ]
    return claim, before, after, checks


async def _evaluated_writes(
    db: Database, kind: NoticeKind, item: InventoryItem, claim: NoticeClaim | None, *, is_due: bool
) -> Sequence[Write]:
    if is_due and claim is None:
        return open_notice_writes(notice_of(kind, item), kind.notification)
    if claim is not None and not is_due:
        return await resolve_notice_writes(db, claim)
    is_same = absent if claim is None else attr("holder") == claim.holder
    return [Check(_claim_key(kind, item), is_same)]


def _claim_key(kind: NoticeKind, item: InventoryItem) -> Key[NoticeClaim]:
    return claim_on(kind.type, item.family_id, item.item_id).own_key()


def _earliest(dates: Iterable[datetime | None], now: datetime) -> datetime | None:
    return min((at for at in dates if at is not None and at > now), default=None)


async def resolve_all_writes(db: Database, family_id: str, item_id: str) -> list[Write]:
    keys = [claim_on(kind.type, family_id, item_id).own_key() for kind in KINDS]
    claims = await db.get_many(keys)
    return [write for claim in claims for write in await resolve_notice_writes(db, claim)]


def _resolve_stale_notice(db: Database, kind: NoticeKind, item: InventoryItem) -> Refusal:
    """Resolve a notice that another program left open, then let the transaction retry."""

    async def refuse(_claim: Item | None) -> None:
        current = await db.get(item.own_key())
        if current is None or kind.due(current, (), clock.now()):
            return
        ended = await resolve_notice_writes(db, await db.get(_claim_key(kind, item)))
        with suppress(TransactionCancelled):
            await db.transact(*ended, current.check(current.unchanged))

    return refuse


def notice_of(kind: NoticeKind, item: InventoryItem) -> Notification:
    now = clock.timestamp()
    return Notification(
        notification_id=clock.new_id(),
        family_id=item.family_id,
        item_id=item.item_id,
        item_name=item.name,
        current_quantity=item.quantity,
        threshold=item.threshold,
        type=kind.type,
        created_at=now,
        updated_at=now,
    )
