"""What people are told of items."""

from collections.abc import Sequence

from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
from homeshelf.notices.model import Notification
from homeshelf.outbox.news import Matter, Passage, Topic
from homeshelf.table import Database


async def _running_low(db: Database, matters: Sequence[Matter]) -> list[Passage | None]:
    """As it is now: a notice says how it was when it was made."""
    keys = [Notification.key(family_id=each.family_id, notification_id=each.id) for each in matters]
    notices = await db.get_many(keys, skip=True)
    open_ = {it.item_id: it.family_id for it in notices if it and it.status == "active"}
    found = await db.get_many([key_of(family, item) for item, family in open_.items()], skip=True)
    items = dict(zip(open_, found, strict=True))
    return [
        _runs_low(items.get(it.item_id)) if it and it.status == "active" else None for it in notices
    ]


def _runs_low(item: InventoryItem | None) -> Passage | None:
    if item is None or not item.calls_for_notice:
        return None
    left = f"{item.quantity:,} left" if item.quantity else "none left"
    least = f"and there should be at least {item.threshold:,}"
    line = f"{item.name} runs low: {left}, {least}."
    return Passage(f"{item.name} runs low", (line,), f"/stock/{item.item_id}", "Look at it")


TOPICS = {"runs_low": Topic(_running_low)}
