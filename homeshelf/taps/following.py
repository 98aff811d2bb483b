"""What happens to an item's tags when it is renamed or removed, and the repair of tags that
differ."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from homeshelf.access import InFamily
from homeshelf.coordination.changes import announced
from homeshelf.coordination.todos import Todo, todo
from homeshelf.inventory import store as inventory
from homeshelf.inventory.following import ItemFollower
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import ConditionFailed, Database, Item, Set, Write, attr, exists
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import ended, tags_of_item, weeks_of_item
from homeshelf.taps.uses import used_tags

RENAME_TAGS = "rename_tags"
MOST_AT_ONCE = 25


class TagsFollowItem(ItemFollower):
    async def renaming(self, db: Database, item: InventoryItem) -> Sequence[Write]:
        """Return the writes that rename the item's tags; for many of them, a to-do."""
        tags = await _otherwise_named(db, item)
        if len(tags) > MOST_AT_ONCE:
            about = {"familyId": item.family_id, "itemId": item.item_id}
            return [todo(RENAME_TAGS, about).put()]
        return _renamed(tags, item.name)

    async def removed(self, db: Database, family_id: str, item_id: str, by: str | None) -> None:
        tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
        for some in _chunks([tag for tag in tags if tag.is_active]):
            await db.transact(*(ended(tag, by).updating(tag) for tag in some), *announced(*some))
        await db.clear(weeks_of_item(family_id, item_id))

    async def remembers(self, db: Database, family_id: str, item_id: str) -> bool:
        """Whether it had tags, which another item under its id would inherit."""
        return bool(await db.count(tags_of_item(family_id, item_id).up_to_date(), 1))

    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
        return {"tags": sum(tag.is_active for tag in tags)}

    async def shown(self, db: Database, member: InFamily, item_id: str) -> Mapping[str, Any]:
        """Show tags to admins alone: an address is a secret."""
        if member.role != "admin":
            return {}
        tags = await used_tags(db, member.family_id, item_id)
        return {"tags": [used for used in tags if used.tag.is_active]}


async def rename_tags(db: Database, left: Todo) -> None:
    item = await inventory.item(db, left.about["familyId"], left.about["itemId"])
    if item is None:
        return
    for some in _chunks(await _otherwise_named(db, item)):
        # Renamed once more meanwhile: the to-do fails, and is tried again with the later name.
        await db.transact(item.check(item.unchanged), *_renamed(some, item.name))


async def mend(db: Database) -> tuple[str, str]:
    """Bring all tags in line with their items. Scans the table: for commands only."""
    mended = 0
    async for page in db.scan(NFCUrl.table):
        for stored in page.items:
            if stored.get("entityType") == "NFCUrl":
                with suppress(ConditionFailed):  # it changed just now: look at it the next time
                    mended += await _mend(db, stored)
    if mended:
        return "tags", _("{mended} didn’t match their items and were fixed.", mended=mended)
    return "tags", "they are in line with their items."


async def _otherwise_named(db: Database, item: InventoryItem) -> list[NFCUrl]:
    tags = await db.all(tags_of_item(item.family_id, item.item_id).up_to_date())
    return [tag for tag in tags if tag.item_name != item.name]


def _renamed(tags: Sequence[NFCUrl], name: str) -> list[Write]:
    named = (NFCUrl.update(tag.own_key(), Set("itemName", name), when=exists) for tag in tags)
    return [*named, *announced(*tags)] if tags else []


def _chunks(tags: Sequence[NFCUrl]) -> list[Sequence[NFCUrl]]:
    return [tags[first : first + MOST_AT_ONCE] for first in range(0, len(tags), MOST_AT_ONCE)]


async def _mend(db: Database, stored: Item) -> bool:
    tag = NFCUrl.load(stored)
    right = tag.item()
    drifted = any(stored.get(name) != right.get(name) for name in NFCUrl.keys)
    if drifted:
        await db.put(tag, when=attr("accessCount") == tag.access_count)
    item = await inventory.item(db, tag.family_id, tag.item_id)
    if item is None and tag.is_active:
        await db.write(ended(tag, None).updating(tag))
    elif item is not None and tag.item_name != item.name:
        await db.write(NFCUrl.update(tag.own_key(), Set("itemName", item.name), when=exists))
    else:
        return drifted
    return True
