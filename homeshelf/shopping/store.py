from homeshelf.shopping.model import ShoppingListItem, Status
from homeshelf.table import Database, Query, attr


async def entry(db: Database, family_id: str, shopping_item_id: str) -> ShoppingListItem | None:
    """Get shopping item by ID."""
    return await db.get(
        ShoppingListItem.key(family_id=family_id, shopping_item_id=shopping_item_id)
    )


def whole_list(family_id: str) -> Query[ShoppingListItem]:
    """List all shopping items."""
    return ShoppingListItem.where(family_id=family_id)


def at_store(family_id: str, store_id: str) -> Query[ShoppingListItem]:
    """List by store."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id)


def unassigned(family_id: str) -> Query[ShoppingListItem]:
    """List unassigned items."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=None)


def with_status(family_id: str, status: Status) -> Query[ShoppingListItem]:
    """List by status, over all stores: a filter, because the store comes first in the key."""
    return ShoppingListItem.where("GSI2", family_id=family_id).only(attr("status") == status)


def pending_at(family_id: str, store_id: str | None) -> Query[ShoppingListItem]:
    """List pending by store."""
    return ShoppingListItem.where("GSI2", family_id=family_id, store_id=store_id, status="pending")
