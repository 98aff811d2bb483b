from typing import Literal

from homeshelf.table import INVENTORY, Keys, Optional, Record, Versioned

MOST = 9_999_999_999
"""The largest count that its key can hold."""

Source = Literal["created", "adjust", "tap", "put_away", "undo"]


class InventoryItem(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="ITEM#{itemId}",
        GSI2PK="FAMILY#{familyId}#ITEMS",
        GSI2SK="STATUS#{status}#QUANTITY#{quantity:010}",
    )

    item_id: str
    family_id: str
    name: str
    quantity: int = 0
    threshold: int = 0
    location_id: Optional[str] = None
    preferred_store_id: Optional[str] = None
    alternate_store_ids: tuple[str, ...] = ()
    unit: Optional[str] = None
    notes: Optional[str] = None
    status: Literal["active", "archived"] = "active"
    created_by: str
    entity_type: Literal["InventoryItem"] = "InventoryItem"

    @property
    def runs_low(self) -> bool:
        return self.quantity < self.threshold


class QuantityChange(Record):
    """One change of a count, kept for the chart and the forecast. Under `HISTORY#` rather than
    `ITEM#`, where it would stand in the list of items."""

    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="HISTORY#{itemId}#{at}#{id}")

    id: str
    family_id: str
    item_id: str
    at: str
    by: Optional[str] = None
    source: Source
    delta: int
    quantity: int
    ttl: int


class StorageLocation(Versioned):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="LOCATION#{locationId}")

    location_id: str
    family_id: str
    name: str
    description: Optional[str] = None
    entity_type: Literal["StorageLocation"] = "StorageLocation"


class Store(Versioned):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="STORE#{storeId}")

    store_id: str
    family_id: str
    name: str
    address: Optional[str] = None
    entity_type: Literal["Store"] = "Store"
