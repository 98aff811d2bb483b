from typing import Literal

from homeshelf.table import INVENTORY, Keys, Optional, Versioned

Status = Literal["pending", "purchased"]


class ShoppingListItem(Versioned):
    """A line of the list: of something in the inventory, or free text."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="SHOPPING#{shoppingItemId}",
        GSI2PK="FAMILY#{familyId}#SHOPPING",
        GSI2SK="STORE#{storeId|UNASSIGNED}#STATUS#{status}",
    )

    shopping_item_id: str
    family_id: str
    item_id: str | None = None
    name: str
    store_id: str | None = None
    status: Status = "pending"
    quantity: int | None = None
    notes: str | None = None
    ttl: int | None = None
    put_away_at: Optional[str] = None
    added_by: str
    entity_type: Literal["ShoppingListItem"] = "ShoppingListItem"
