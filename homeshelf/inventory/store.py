from homeshelf.inventory.model import InventoryItem, QuantityChange, StorageLocation, Store
from homeshelf.table import Database, Query


async def item(db: Database, family_id: str, item_id: str) -> InventoryItem | None:
    """Get inventory item."""
    return await db.get(InventoryItem.key(family_id=family_id, item_id=item_id))


def items_by_quantity(family_id: str, status: str | None = None) -> Query[InventoryItem]:
    """List inventory items, lowest count first: by GSI2, where no tag stands between them."""
    if status is None:
        return InventoryItem.where("GSI2", family_id=family_id)
    return InventoryItem.where("GSI2", family_id=family_id, status=status)


def every_item(family_id: str) -> Query[InventoryItem]:
    """The same by the base table, which can be read up to date."""
    return InventoryItem.where(family_id=family_id)


def history_of(family_id: str, item_id: str) -> Query[QuantityChange]:
    return QuantityChange.where(family_id=family_id, item_id=item_id).newest_first()


async def location(db: Database, family_id: str, location_id: str) -> StorageLocation | None:
    return await db.get(StorageLocation.key(family_id=family_id, location_id=location_id))


def locations_of(family_id: str) -> Query[StorageLocation]:
    return StorageLocation.where(family_id=family_id)


async def shop(db: Database, family_id: str, store_id: str) -> Store | None:
    return await db.get(Store.key(family_id=family_id, store_id=store_id))


def stores_of(family_id: str) -> Query[Store]:
    return Store.where(family_id=family_id)
