"""The kinds of notices, and the writes that open and resolve notices when something changes.

A kind that depends on its item alone is decided by comparing the item before and after a change.
Any other kind is decided by its open notice: the transaction reads the claim and the related
records, and checks that they have not changed meanwhile.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from homeshelf import clock
from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory.low_stock import LOW_STOCK
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind, Related
from homeshelf.notices.model import MOST_BESIDE, NoticeClaim, Notification, claim_on
from homeshelf.notices.store import opening_writes, resolving_writes
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

LOOK = "look_at_item"
"""The stored kind of the to-do that looks at an item again on a date."""
UP_TO_THE_MILLISECOND = timedelta(microseconds=999)
"""Timestamps round down, and a to-do that ran before its moment would find nothing due."""

Changed = Mapping[Key[Any], Record | None]
UNCHANGED: Changed = MappingProxyType({})


async def writes_of_item_change(
    db: Database,
    old: InventoryItem | None,
    new: InventoryItem | None,
    changed: Changed = UNCHANGED,
) -> list[Write]:
    """Return the writes that open or resolve notices in the transaction that changes an item, and
    perhaps records that a kind reads: `changed` has them as they will be, None for deleted ones."""
    return await _writes(db, old, new, changed, clock.now())


async def writes_of_related_change(
    db: Database, item: InventoryItem, changed: Changed
) -> list[Write]:
    """Return the same for a transaction that changes such records, and not the item."""
    writes = await _writes(db, item, item, changed, clock.now())
    return [item.check(item.unchanged), *writes]


@transaction
async def look_at_item(tx: Transaction, key: Key[InventoryItem], at: datetime) -> None:
    """Open and resolve the notices of an item that nobody changed."""
    item = await tx.find(key)
    if item is not None:
        tx.write(item.check(item.unchanged))
        tx.write(*await _writes(tx.db, item, item, UNCHANGED, at, is_look=True))


async def look_when_due(db: Database, left: Todo) -> None:
    key = InventoryItem.key(family_id=left.about["familyId"], item_id=left.about["itemId"])
    date = datetime.fromisoformat(left.date or left.due_at)
    await look_at_item(db, key, max(clock.now(), date))  # the clock may have been set back


def look_todo(item: InventoryItem, at: datetime) -> Todo:
    """Make the to-do of an item for a date; there is one for each date, however often it is put."""
    about = {"familyId": item.family_id, "itemId": item.item_id}
    return todo(LOOK, about, at + UP_TO_THE_MILLISECOND).changed(todo_id=item.item_id)


def has_dates() -> bool:
    return not all(kind.depends_on_item_alone for kind in KINDS)


def most_writes(family_id: str, item_id: str) -> int:
    """Return the size of the largest change of an item's notices: all of them end."""
    return has_dates() + sum(
        3 + MOST_BESIDE + len(kind.reads(family_id, item_id)) for kind in KINDS
    )


@dataclass(frozen=True)
class _Seen:
    """What decides about a notice of one kind, before and after a change."""

    claim: NoticeClaim | None
    before: Related
    after: Related
    checks: Sequence[Check]


async def _writes(
    db: Database,
    old: InventoryItem | None,
    new: InventoryItem | None,
    changed: Changed,
    now: datetime,
    *,
    is_look: bool = False,
) -> list[Write]:
    writes: list[Write] = []
    looks_before, looks_after = [], []
    item = new or old
    assert item is not None  # noqa: S101  # a change has one of them
    for kind in KINDS:
        if kind.depends_on_item_alone:
            writes += await _crossing_writes(db, kind, old, new, now)
            continue
        seen = await _see(db, kind, item, changed)
        is_due = new is not None and kind.due(new, seen.after, now)
        writes += [*seen.checks, *await _state_writes(db, kind, item, seen.claim, is_due=is_due)]
        if old is not None and not is_look:
            looks_before.append(kind.next_look(old, seen.before, now))
        if new is not None:
            looks_after.append(kind.next_look(new, seen.after, now))
    before, after = _earliest(looks_before, now), _earliest(looks_after, now)
    if after is not None and (before is None or after < before):
        writes.append(look_todo(item, after).put())  # else the one that is there looks again
    return writes


async def _crossing_writes(
    db: Database,
    kind: NoticeKind,
    old: InventoryItem | None,
    new: InventoryItem | None,
    now: datetime,
) -> Sequence[Write]:
    before = old is not None and kind.due(old, (), now)
    after = new is not None and kind.due(new, (), now)
    if new and after and not before:
        return opening_writes(
            notice_of(kind, new), kind.notification, _ending_what_was_left(db, kind, new)
        )
    if old and before and not after:
        return await resolving_writes(db, await db.get(_claim_key(kind, old)))
    return ()


async def _see(db: Database, kind: NoticeKind, item: InventoryItem, changed: Changed) -> _Seen:
    keys: list[Key[Any]] = [*kind.reads(item.family_id, item.item_id)]
    claim, *before = await db.get_many([_claim_key(kind, item), *keys])
    after = [changed.get(key, record) for key, record in zip(keys, before, strict=True)]
    checks = [
        Check(key, absent) if record is None else record.check(record.unchanged)
        for key, record in zip(keys, before, strict=True)
    ]
    return _Seen(claim, before, after, checks)


async def _state_writes(
    db: Database,
    kind: NoticeKind,
    item: InventoryItem,
    claim: NoticeClaim | None,
    *,
    is_due: bool,
) -> Sequence[Write]:
    if is_due and claim is None:
        return opening_writes(notice_of(kind, item), kind.notification)
    if claim is not None and not is_due:
        return await resolving_writes(db, claim)
    is_same = absent if claim is None else attr("holder") == claim.holder
    return [Check(_claim_key(kind, item), is_same)]


def _claim_key(kind: NoticeKind, item: InventoryItem) -> Key[NoticeClaim]:
    return claim_on(kind.type, item.family_id, item.item_id).own_key()


def _earliest(looks: Iterable[datetime | None], now: datetime) -> datetime | None:
    return min((at for at in looks if at is not None and at > now), default=None)


async def ending(db: Database, family_id: str, item_id: str) -> list[Write]:
    """Return the writes that resolve every notice of an item."""
    keys = [claim_on(kind.type, family_id, item_id).own_key() for kind in KINDS]
    claims = await db.get_many(keys)
    return [write for claim in claims for write in await resolving_writes(db, claim)]


def _ending_what_was_left(db: Database, kind: NoticeKind, item: InventoryItem) -> Refusal:
    """End a notice that another program left open although it is not due, and try again."""

    async def refuse(_claim: Item | None) -> None:
        there = await db.get(item.own_key())
        if there is None or kind.due(there, (), clock.now()):
            return
        ended = await resolving_writes(db, await db.get(_claim_key(kind, item)))
        with suppress(TransactionCancelled):
            await db.transact(*ended, there.check(there.unchanged))

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
