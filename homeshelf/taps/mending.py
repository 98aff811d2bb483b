"""Tags that have drifted from their items, found and mended."""

from collections.abc import AsyncIterator

from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import ConditionFailed, Database, Set, attr, exists
from homeshelf.table.expressions import Item
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import ended

READ_AT_ONCE = 500


async def mend(db: Database) -> tuple[str, str]:
    mended = await mend_tags(db)
    if mended:
        return "tags", _("{mended} had drifted from their items, and were mended.", mended=mended)
    return "tags", "they are in line with their items."


async def mend_tags(db: Database) -> int:
    """Bring names, keys and states of all tags in line with their items; returns how many were
    not. Reads the whole table: it is for checks, never for a request."""
    mended = 0
    async for stored in _every_tag(db):
        try:
            mended += await _mend(db, stored)
        except ConditionFailed:  # it changed just now: it is looked at the next time
            continue
    return mended


async def _mend(db: Database, stored: Item) -> bool:
    tag = NFCUrl.load(stored)
    right = tag.item()
    drifted = any(stored.get(name) != right.get(name) for name in NFCUrl.keys)
    if drifted:
        await db.put(tag, when=attr("accessCount") == tag.access_count)
    item = await db.get(InventoryItem.key(family_id=tag.family_id, item_id=tag.item_id))
    if item is None:
        if tag.is_active:
            await db.write(ended(tag, None).updating(tag))
        return drifted or tag.is_active
    if tag.item_name != item.name:
        await db.write(NFCUrl.update(tag.own_key(), Set("itemName", item.name), when=exists))
        return True
    return drifted


async def _every_tag(db: Database) -> AsyncIterator[Item]:
    start = None
    while True:
        page = await db.engine.scan(NFCUrl.table, READ_AT_ONCE, start)
        for item in page.items:
            if item.get("entityType") == "NFCUrl":
                yield item
        start = page.next
        if start is None:
            return
