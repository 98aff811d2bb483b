"""What becomes of an item's tags when it is renamed or removed, and what its page shows of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.access import InFamily
from homeshelf.coordination.changes import announced
from homeshelf.coordination.todos import Todo, todo
from homeshelf.inventory.following import ItemFollower
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Set, Update, Write, exists
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import ended, tags_of_item, weeks_of_item
from homeshelf.taps.uses import used_tags

RENAME_TAGS = "rename_tags"
MOST_AT_ONCE = 25


class TagsFollowItem(ItemFollower):
    async def renaming(self, db: Database, item: InventoryItem) -> Sequence[Write]:
        return await renaming_tags(db, item)

    async def removed(self, db: Database, family_id: str, item_id: str, by: str | None) -> None:
        await end_tags(db, family_id, item_id, by)

    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
        return {"tags": sum(tag.is_active for tag in tags)}

    async def shown(self, db: Database, member: InFamily, item_id: str) -> Mapping[str, Any]:
        """For admins alone: an address is a secret."""
        if member.role != "admin":
            return {}
        tags = await used_tags(db, member.family_id, item_id)
        return {"tags": [used for used in tags if used.tag.is_active]}


async def renaming_tags(db: Database, item: InventoryItem) -> list[Write]:
    """The writes that bring an item's new name to its tags, as part of its renaming.

    A transaction has no room for very many; a to-do brings it to the rest.
    """
    tags = await _otherwise_named(db, item)
    if len(tags) > MOST_AT_ONCE:
        about = {"familyId": item.family_id, "itemId": item.item_id}
        return [todo(RENAME_TAGS, about).put()]
    return _renamed(tags, item.name)


async def rename_tags(db: Database, left: Todo) -> None:
    key = InventoryItem.key(family_id=left.about["familyId"], item_id=left.about["itemId"])
    item = await db.get(key)
    if item is None:
        return
    tags = await _otherwise_named(db, item)
    for some in _chunks(tags):
        # Renamed once more meanwhile: the to-do fails, and is tried again with the later name.
        await db.transact(item.check(item.unchanged), *_renamed(some, item.name))


async def end_tags(db: Database, family_id: str, item_id: str, by: str | None) -> None:
    """The tags of an item that is gone open nothing, for good."""
    tags = await db.all(tags_of_item(family_id, item_id).up_to_date())
    for some in _chunks([tag for tag in tags if tag.is_active]):
        await db.transact(*(ended(tag, by).updating(tag) for tag in some), *announced(*some))
    await db.clear(weeks_of_item(family_id, item_id))


async def _otherwise_named(db: Database, item: InventoryItem) -> list[NFCUrl]:
    tags = await db.all(tags_of_item(item.family_id, item.item_id).up_to_date())
    return [tag for tag in tags if tag.item_name != item.name]


def _renamed(tags: Sequence[NFCUrl], name: str) -> list[Write]:
    """With one change for all of them."""
    writes: list[Write] = [_with_name(tag, name) for tag in tags]
    return [*writes, *announced(*tags)] if tags else []


def _with_name(tag: NFCUrl, name: str) -> Update:
    return NFCUrl.update(tag.own_key(), Set("itemName", name), when=exists)


def _chunks(tags: Sequence[NFCUrl]) -> list[Sequence[NFCUrl]]:
    return [tags[first : first + MOST_AT_ONCE] for first in range(0, len(tags), MOST_AT_ONCE)]
