from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Query, Set, Update, Write, exists
from homeshelf.table.todos import Todo, todo
from homeshelf.taps.model import NFCUrl

MOST_AT_ONCE = 50


async def for_tag(db: Database, url_id: str) -> NFCUrl | None:
    """Get URL by urlId: a hint, because GSI1 lags; what acts on it checks `isActive` again."""
    return await db.first(NFCUrl.where("GSI1", url_id=url_id))


def tags_of_item(family_id: str, item_id: str) -> Query[NFCUrl]:
    """List URLs for item, active and inactive."""
    return NFCUrl.where(family_id=family_id, item_id=item_id)


def tags_of_family(family_id: str) -> Query[NFCUrl]:
    """List URLs for family, newest first."""
    return NFCUrl.where("GSI2", family_id=family_id).newest_first()


async def renaming_tags(db: Database, item: InventoryItem) -> list[Write]:
    """The writes that bring an item's new name to its tags, as part of its renaming.

    A transaction has no room for very many; a to-do brings it to the rest.
    """
    tags = await _otherwise_named(db, item)
    if len(tags) <= MOST_AT_ONCE:
        return [_renamed(tag, item.name) for tag in tags]
    return [todo("rename_tags", {"familyId": item.family_id, "itemId": item.item_id}).put()]


async def rename_tags(db: Database, left: Todo) -> None:
    key = InventoryItem.key(family_id=left.about["familyId"], item_id=left.about["itemId"])
    item = await db.get(key)
    if item is None:
        return
    for tag in await _otherwise_named(db, item):
        await db.write(_renamed(tag, item.name))


async def _otherwise_named(db: Database, item: InventoryItem) -> list[NFCUrl]:
    tags = await db.all(tags_of_item(item.family_id, item.item_id).up_to_date())
    return [tag for tag in tags if tag.item_name != item.name]


def _renamed(tag: NFCUrl, name: str) -> Update:
    return NFCUrl.update(tag.own_key(), Set("itemName", name), when=exists)
