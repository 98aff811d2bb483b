from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Literal

from homeshelf import clock
from homeshelf.errors import HomeshelfError, ItemUnavailable
from homeshelf.languages import ENGLISH
from homeshelf.languages.formats import formats
from homeshelf.sentences import _
from homeshelf.table import INVENTORY, Keys, Record, Sparse, SparseList, Versioned

MAX_QUANTITY = 9_999_999_999
"""The largest quantity that fits the key."""
HISTORY_RETENTION = timedelta(days=2 * 365)

ItemStatus = Literal["active", "archived"]
Source = Literal["created", "adjust", "tap", "put_away", "undo"]


class InventoryItem(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="ITEM#{itemId}",
        GSI2PK="FAMILY#{familyId}#ITEMS",
        GSI2SK="STATUS#{status}#QUANTITY#{quantity:010}",
    )
    notify = "family_id", "item_id"
    computed = MappingProxyType({"isLowStock": "runs_low"})

    item_id: str
    family_id: str
    name: str
    quantity: int = 0
    threshold: int = 0
    location_id: Sparse[str] = None
    preferred_store_id: Sparse[str] = None
    alternate_store_ids: tuple[str, ...] = ()
    unit: Sparse[str] = None
    notes: Sparse[str] = None
    picture: Sparse[str] = None
    """The emoji that a user chose; without one it is guessed from the name."""
    barcodes: SparseList[str] = ()
    """The barcodes as typed or scanned; `barcodes.to_ean13` decides which are equal."""
    status: ItemStatus = "active"
    created_by: str
    entity_type: Literal["InventoryItem"] = "InventoryItem"

    @property
    def runs_low(self) -> bool:
        return self.quantity < self.threshold

    @property
    def needs_notice(self) -> bool:
        return self.status == "active" and self.runs_low

    @property
    def store_ids(self) -> tuple[str, ...]:
        preferred = (self.preferred_store_id,) if self.preferred_store_id else ()
        return tuple(dict.fromkeys((*preferred, *self.alternate_store_ids)))

    def amount(self, count: int) -> int | str:
        """Return a count of this item with its unit, for a sentence."""
        return formats(ENGLISH).amount(count, self.unit) if self.unit else count

    def adjusted(self, delta: int, at: str) -> "InventoryItem":
        """Change the quantity, never below 0; return the same item if nothing changes."""
        quantity = min(max(self.quantity + delta, 0), MAX_QUANTITY)
        return self if quantity == self.quantity else self.revised(at, quantity=quantity)


class QuantityChange(Record):
    """One change of a quantity. Its key differs from `ITEM#`, so that item queries skip it."""

    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="HISTORY#{itemId}#{at}#{id}")
    private = frozenset({"id", "family_id", "item_id", "ttl"})

    id: str
    family_id: str
    item_id: str
    at: str
    by: Sparse[str] = None
    source: Source
    delta: int
    quantity: int
    ttl: int


def new_item(
    family_id: str, by: str, given: Mapping[str, Any], at: str | None = None
) -> InventoryItem:
    at = at or clock.timestamp()
    fields = {"item_id": clock.new_id(), **given}
    return InventoryItem(family_id=family_id, created_by=by, created_at=at, updated_at=at, **fields)


def require_active(
    item: InventoryItem | None, absent: HomeshelfError | type[HomeshelfError]
) -> InventoryItem:
    if item is None:
        raise absent
    if item.status != "active":
        raise ItemUnavailable(_("This item is archived."))
    return item


def quantity_change(
    item: InventoryItem, delta: int, source: Source, by: str | None, now: datetime
) -> QuantityChange:
    return QuantityChange(
        id=clock.new_id(),
        family_id=item.family_id,
        item_id=item.item_id,
        at=item.updated_at,
        by=by,
        source=source,
        delta=delta,
        quantity=item.quantity,
        ttl=int((now + HISTORY_RETENTION).timestamp()),
    )
