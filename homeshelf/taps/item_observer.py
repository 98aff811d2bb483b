"""The observer that updates tags when their item changes, and the repair of inconsistent tags."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from homeshelf.access import InFamily
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.todos import Todo, todo
from homeshelf.inventory import store as inventory
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import ConditionFailed, Database, Item, Set, Write, attr, exists
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import as_revoked, tags_of_item, weeks_of_item
from homeshelf.taps.use_counts import tags_with_uses

RENAME_TAGS = "rename_tags"
BATCH_SIZE = 25


class TagItemObserver(ItemObserver):
    async def writes_on_rename(self, db: Database, item: InventoryItem) -> Sequence[Write]:
        """Return the writes that rename the item's tags, or a to-do for many tags."""
        tags = await _tags_to_rename(db, item)
        if len(tags) > BATCH_SIZE:
            about = {"familyId": item.family_id, "itemId": item.item_id}
            return [todo(RENAME_TAGS, about).put()]
        return _rename_writes(tags, item.name)

    async def on_removed(self, db: Database, family_id: str, item_id: str, by: str | None) -> None:
        tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
        for some in _chunks([tag for tag in tags if tag.is_active]):
            await db.transact(
                *(as_revoked(tag, by).updating(tag) for tag in some), *change_writes(*some)
            )
        await db.clear(weeks_of_item(family_id, item_id))

    async def has_records(self, db: Database, family_id: str, item_id: str) -> bool:
        """Check for tags that another item with the same id would inherit."""
        return bool(await db.count(tags_of_item(family_id, item_id).up_to_date(), 1))

    async def count_references(
        self, db: Database, family_id: str, item_id: str
    ) -> Mapping[str, int]:
        tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
        return {"tags": sum(tag.is_active for tag in tags)}

    async def page_variables(
        self, db: Database, member: InFamily, item_id: str
    ) -> Mapping[str, Any]:
        """Show tags only to admins, because an address is a secret."""
        if member.role != "admin":
            return {}
        tags = await tags_with_uses(db, member.family_id, item_id)
        return {"tags": [used for used in tags if used.tag.is_active]}


async def rename_tags(db: Database, task: Todo) -> None:
    item = await inventory.get_item(db, task.about["familyId"], task.about["itemId"])
    if item is None:
        return
    for some in _chunks(await _tags_to_rename(db, item)):
        # If the item is renamed again, the to-do fails and is retried with the new name.
        await db.transact(item.check(item.unchanged), *_rename_writes(some, item.name))


async def repair_tags(db: Database) -> tuple[str, str]:
    """Make all tags consistent with their items. Scans the table: for commands only."""
    repaired = 0
    async for page in db.scan(NFCUrl.table):
        for stored in page.items:
            if stored.get("entityType") == "NFCUrl":
                with suppress(ConditionFailed):  # it changed concurrently; the next run checks it
                    repaired += await _repair_tag(db, stored)
    if repaired:
        return "tags", _("{mended} didn’t match their items and were fixed.", mended=repaired)
    return "tags", "they are in line with their items."


async def _tags_to_rename(db: Database, item: InventoryItem) -> list[NFCUrl]:
    tags = await db.all(tags_of_item(item.family_id, item.item_id).up_to_date())
    return [tag for tag in tags if tag.item_name != item.name]


def _rename_writes(tags: Sequence[NFCUrl], name: str) -> list[Write]:
    updates = (NFCUrl.update(tag.own_key(), Set("itemName", name), when=exists) for tag in tags)
    return [*updates, *change_writes(*tags)] if tags else []


def _chunks(tags: Sequence[NFCUrl]) -> list[Sequence[NFCUrl]]:
    return [tags[first : first + BATCH_SIZE] for first in range(0, len(tags), BATCH_SIZE)]


async def _repair_tag(db: Database, stored: Item) -> bool:
    tag = NFCUrl.load(stored)
    expected = tag.item()
    drifted = any(stored.get(name) != expected.get(name) for name in NFCUrl.keys)
    if drifted:
        await db.put(tag, when=attr("accessCount") == tag.access_count)
    item = await inventory.get_item(db, tag.family_id, tag.item_id)
    if item is None and tag.is_active:
        await db.write(as_revoked(tag, None).updating(tag))
    elif item is not None and tag.item_name != item.name:
        await db.write(NFCUrl.update(tag.own_key(), Set("itemName", item.name), when=exists))
    else:
        return drifted
    return True
