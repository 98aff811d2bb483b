"""The texts of notices, in notifications and on the page."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from homeshelf import clock
from homeshelf.inventory import notices
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind, Related
from homeshelf.notices.model import NoticeRow, Notification
from homeshelf.outbox.notifications import Cause, NotificationKind, NotificationText
from homeshelf.table import Database


async def read_related(
    db: Database, kind: NoticeKind, items: Sequence[InventoryItem]
) -> dict[str, Related]:
    keys = {item.item_id: kind.reads(item.family_id, item.item_id) for item in items}
    all_keys = list(dict.fromkeys(key for each in keys.values() for key in each))
    found = dict(zip(all_keys, await db.get_many(all_keys, skip=True), strict=True))
    return {item_id: [found[key] for key in each] for item_id, each in keys.items()}


async def describe_notices(
    kind: NoticeKind, db: Database, causes: Sequence[Cause]
) -> list[NotificationText | None]:
    """Describe items in their current state: a notice stores the quantity of its creation."""
    found = await db.get_existing(
        Notification.key(family_id=each.family_id, notification_id=each.id) for each in causes
    )
    active = [it for it in found if it.status == "active"]
    items = await _items_of(db, active)
    related, now = await read_related(db, kind, list(items.values())), clock.now()
    texts = {
        item_id: kind.text(item, related[item_id])
        for item_id, item in items.items()
        if kind.due(item, related[item_id], now)
    }
    item_ids = {it.notification_id: it.item_id for it in active}
    return [texts.get(item_ids.get(each.id, "")) for each in causes]


NOTIFICATION_KINDS = {
    kind.notification: NotificationKind(partial(describe_notices, kind)) for kind in notices.KINDS
}


async def notice_rows(db: Database, found: Sequence[Notification]) -> dict[str, NoticeRow]:
    """Return page rows by notification id; an open notice shows the current item."""
    items = await _items_of(db, found)
    by_type: dict[str, list[Notification]] = {}
    for notice in found:
        by_type.setdefault(notice.type, []).append(notice)
    rows = {}
    for kind in notices.KINDS:
        own = by_type.get(kind.type, [])
        open_ = {it.item_id for it in own if it.is_open} & items.keys()
        related = await read_related(db, kind, [items[item_id] for item_id in sorted(open_)])
        for notice in own:
            row = NoticeRow(notice.item_name, None, kind.past)
            if item := items.get(notice.item_id):
                row = replace(row, name=item.name, picture=item.picture)
                if notice.is_open:
                    state = kind.state(item, related[item.item_id])
                    row = replace(row, state=state, path=f"/stock/{item.item_id}")
            rows[notice.notification_id] = row
    return rows


async def _items_of(db: Database, notices: Sequence[Notification]) -> dict[str, InventoryItem]:
    found = await db.get_existing(
        InventoryItem.key(family_id=it.family_id, item_id=it.item_id) for it in notices
    )
    return {item.item_id: item for item in found}
