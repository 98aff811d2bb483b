"""The kinds of notices (`KINDS`): when each begins and ends, and what people are told
(`TOPICS`)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import NoticeType, Notification
from homeshelf.notices.store import opening, resolving, unresolved
from homeshelf.outbox.news import Matter, Passage, Topic
from homeshelf.sentences import _, ngettext
from homeshelf.table import Database, Item, Query, Refusal, TransactionCancelled, Write, attr


@dataclass(frozen=True)
class NoticeKind:
    type: NoticeType
    topic: str
    is_called_for: Callable[[InventoryItem], bool]
    passage: Callable[[InventoryItem], Passage]


def _runs_low(item: InventoryItem) -> Passage:
    line = (
        ngettext(
            "{name} runs low: {count} left, and there should be at least {least}.",
            "{name} runs low: {count} left, and there should be at least {least}.",
            item.quantity,
            name=item.name,
            least=item.threshold,
        )
        if item.quantity
        else _(
            "{name} runs low: none left, and there should be at least {least}.",
            name=item.name,
            least=item.threshold,
        )
    )
    title = _("{name} runs low", name=item.name)
    return Passage(title, (line,), f"/stock/{item.item_id}", _("Look at it"))


LOW_STOCK = NoticeKind("low_stock", "runs_low", lambda item: item.calls_for_notice, _runs_low)
KINDS = (LOW_STOCK,)


async def following(
    db: Database, old: InventoryItem | None, new: InventoryItem | None
) -> Sequence[Write]:
    """Return the writes that open or resolve notices when an item changes. A claim allows one open
    notice of each kind; the item's version decides who may change it."""
    writes: list[Write] = []
    for kind in KINDS:
        before = old is not None and kind.is_called_for(old)
        after = new is not None and kind.is_called_for(new)
        if new and after and not before:
            writes += opening(
                notice_of(kind, new), kind.topic, _ending_what_was_left(db, kind, new)
            )
        if old and before and not after:
            writes += await resolving(db, kind.type, old.family_id, old.item_id)
    return writes


async def ending(db: Database, family_id: str, item_id: str) -> list[Write]:
    return [write for kind in KINDS for write in await resolving(db, kind.type, family_id, item_id)]


def _ending_what_was_left(db: Database, kind: NoticeKind, item: InventoryItem) -> Refusal:
    """End a notice that another program left open although there is enough, and try again."""

    async def refuse(_claim: Item | None) -> None:
        there = await db.get(item.own_key())
        if there is None or kind.is_called_for(there):
            return
        ended = await resolving(db, kind.type, item.family_id, item.item_id)
        with suppress(TransactionCancelled):
            await db.transact(*ended, there.check(there.unchanged))

    return refuse


def running_low_notices(family_id: str) -> Query[Notification]:
    return unresolved(family_id).only(attr("type") == LOW_STOCK.type)


async def running_low(db: Database, family_id: str) -> list[InventoryItem]:
    """Read every item that runs low, by the notices, which are few."""
    found = await db.get_existing(
        InventoryItem.key(family_id=family_id, item_id=notice.item_id)
        for notice in await db.all(running_low_notices(family_id))
    )
    return [item for item in found if LOW_STOCK.is_called_for(item)]


async def _passages(
    kind: NoticeKind, db: Database, matters: Sequence[Matter]
) -> list[Passage | None]:
    """Describe items as they are now: a notice has the quantity of when it was made."""
    notices = await db.get_existing(
        Notification.key(family_id=each.family_id, notification_id=each.id) for each in matters
    )
    active = [it for it in notices if it.status == "active"]
    found = await db.get_existing(
        InventoryItem.key(family_id=it.family_id, item_id=it.item_id) for it in active
    )
    passages = {it.item_id: kind.passage(it) for it in found if kind.is_called_for(it)}
    items = {it.notification_id: it.item_id for it in active}
    return [passages.get(items.get(each.id, "")) for each in matters]


TOPICS = {kind.topic: Topic(partial(_passages, kind)) for kind in KINDS}


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
