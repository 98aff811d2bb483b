from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from homeshelf.coordination.claims import Members
from homeshelf.places.model import name_key
from homeshelf.shopping.typed import folded
from homeshelf.signing import digest
from homeshelf.table import HELPER, INVENTORY, Keys, Record, Sparse, Versioned

Status = Literal["pending", "purchased"]

KEPT_SECONDS = 7 * 24 * 3600
REMEMBERED = 100
A_YEAR = 365 * 24 * 3600
"""How long habits are kept after the last tick."""


class ShoppingListItem(Versioned):
    """A line of the list: of something in the inventory, or free text."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="SHOPPING#{shoppingItemId}",
        GSI2PK="FAMILY#{familyId}#SHOPPING",
        GSI2SK="STORE#{storeId|UNASSIGNED}#STATUS#{status}",
    )
    heard = "family_id", "shopping_item_id"

    shopping_item_id: str
    family_id: str
    item_id: str | None = None
    name: str
    store_id: str | None = None
    status: Status = "pending"
    quantity: int | None = None
    notes: str | None = None
    ttl: int | None = None
    put_away_at: Sparse[str] = None
    added_by: str
    entity_type: Literal["ShoppingListItem"] = "ShoppingListItem"

    @property
    def waits_for(self) -> str | None:
        """The item whose claim lists this entry."""
        return self.item_id if self.status == "pending" else None

    @property
    def is_not_put_away(self) -> bool:
        """Whether it was bought and nobody has said where it went."""
        return self.status == "purchased" and self.put_away_at is None

    @property
    def is_to_put_away(self) -> bool:
        """Whether it was bought for an item of the stock, and is not there yet."""
        return self.is_not_put_away and bool(self.item_id)

    def is_bought_at(self, store_id: str | None) -> bool:
        """Whether it is on a store's list or can be bought anywhere; None is the whole list."""
        return store_id is None or self.store_id in (store_id, None)

    def marked(self, status: Status, at: str) -> "ShoppingListItem":
        if status == self.status:
            return self
        if status == "purchased":
            return self.checked_off(at)
        return self.revised(at, status="pending", ttl=None, put_away_at=None)

    def checked_off(self, at: str) -> "ShoppingListItem":
        """Mark as bought, which changes no stock; the entry expires in a week."""
        return self.revised(at, status="purchased", ttl=_seconds(at) + KEPT_SECONDS)

    def put_away(self, at: str, item_id: str | None) -> "ShoppingListItem":
        return self.revised(at, put_away_at=at, item_id=item_id)

    def taken_back(self, at: str) -> "ShoppingListItem":
        return self.revised(at, put_away_at=None)


class PendingEntries(Members):
    """The pending entries of an item, in the order in which they came. It exists while an entry
    waits: an unforced addition requires it to be absent, which makes it the only one."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="PENDING#{itemId}")

    family_id: str
    item_id: str


class Purchase(Record):
    """One purchase of an entry; nothing has to be counted in place."""

    table = HELPER
    keys = Keys(PK="PURCHASES#{familyId}", SK="PURCHASE#{addedAt}#{shoppingItemId}")

    family_id: str
    shopping_item_id: str
    added_at: str
    """When the entry came onto the list: ticking it again is the same purchase."""
    name: str
    name_digest: str
    item_id: Sparse[str] = None
    store_id: Sparse[str] = None
    bought_at: str
    ttl: int


class StorePlace(Record):
    """The position of a name in the order of a store."""

    table = HELPER
    keys = Keys(PK="ORDER#{familyId}", SK="STORE#{storeId|UNASSIGNED}#NAME#{nameDigest}")
    lock = "position"

    family_id: str
    store_id: Sparse[str] = None
    name_digest: str
    name: str
    position: int
    ticked_at: Sparse[str] = None
    ttl: int


def digest_of_name(family_id: str, name: str) -> str:
    """Return what stands for a name in keys, whatever its case and accents."""
    return digest(f"{family_id} {folded(name)}")[:32]


def purchase_of(entry: ShoppingListItem) -> Purchase:
    return Purchase(
        family_id=entry.family_id,
        shopping_item_id=entry.shopping_item_id,
        added_at=entry.created_at,
        name=entry.name,
        name_digest=digest_of_name(entry.family_id, entry.name),
        item_id=entry.item_id,
        store_id=entry.store_id,
        bought_at=entry.updated_at,
        ttl=_seconds(entry.updated_at) + A_YEAR,
    )


def latest_of_each_name(entries: Iterable[ShoppingListItem]) -> list[ShoppingListItem]:
    """Return what was on the list lately, each name once, the latest first."""
    touched = sorted(entries, key=lambda entry: entry.updated_at)
    latest = {name_key(entry.name): entry for entry in touched}
    return sorted(latest.values(), key=lambda entry: entry.updated_at, reverse=True)[:REMEMBERED]


def _seconds(timestamp: str) -> int:
    return int(datetime.fromisoformat(timestamp).timestamp())
