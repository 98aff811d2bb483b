from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from homeshelf.controls import without_control_characters
from homeshelf.coordination.claims import Members
from homeshelf.places.model import name_key
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.signing import digest
from homeshelf.table import HELPER, INVENTORY, Keys, Record, Sparse, Versioned

Status = Literal["pending", "purchased"]

PURCHASED_TTL_SECONDS = 7 * 24 * 3600
MAX_RECENT = 100
HABIT_TTL_SECONDS = 365 * 24 * 3600
FORM_FIELDS = ("name", "quantity", "store_id", "notes")


class ShoppingListItem(Versioned):
    """An entry of the shopping list: an inventory item or free text."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="SHOPPING#{shoppingItemId}",
        GSI2PK="FAMILY#{familyId}#SHOPPING",
        GSI2SK="STORE#{storeId|UNASSIGNED}#STATUS#{status}",
    )
    notify = "family_id", "shopping_item_id"

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
    def pending_item_id(self) -> str | None:
        """The item whose claim lists this entry."""
        return self.item_id if self.status == "pending" else None

    @property
    def needs_put_away(self) -> bool:
        return self.status == "purchased" and self.put_away_at is None

    @property
    def needs_stock(self) -> bool:
        return self.needs_put_away and bool(self.item_id)

    def is_of_trip(self, store_id: str | None) -> bool:
        """Check whether it is to be put away after a trip to a store; None is any store."""
        return self.needs_put_away and self.is_shown_for_store(store_id)

    def is_shown_for_store(self, store_id: str | None) -> bool:
        """Check whether a store's list shows the entry; None is the whole list."""
        return store_id is None or self.store_id in (store_id, None)

    def fields_of_form(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FORM_FIELDS}

    def with_status(self, status: Status, at: str) -> "ShoppingListItem":
        if status == self.status:
            return self
        if status == "purchased":
            return self.as_purchased(at)
        return self.revised(at, status="pending", ttl=None, put_away_at=None)

    def as_purchased(self, at: str) -> "ShoppingListItem":
        """Mark as bought, which changes no stock; the entry expires in a week."""
        return self.revised(at, status="purchased", ttl=_to_seconds(at) + PURCHASED_TTL_SECONDS)

    def as_put_away(self, at: str, item_id: str | None) -> "ShoppingListItem":
        return self.revised(at, put_away_at=at, item_id=item_id)

    def as_not_put_away(self, at: str) -> "ShoppingListItem":
        return self.revised(at, put_away_at=None)


def changed_fields(typed: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ from those the person saw; no quantity is shown as one."""
    return {
        name: value
        for name, value in typed.items()
        if name not in seen or _as_shown(name, value) != _as_shown(name, seen[name])
    }


def _as_shown(name: str, value: Any) -> Any:
    if name == "quantity":
        return value or 1
    return without_control_characters(" ".join((value or "").split()))


class PendingEntries(Members):
    """The claim that lists an item's pending entries, oldest first."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="PENDING#{itemId}")

    family_id: str
    item_id: str


class Purchase(Record):
    """A purchase of an entry, from which usual things are learned."""

    table = HELPER
    keys = Keys(PK="PURCHASES#{familyId}", SK="PURCHASE#{addedAt}#{shoppingItemId}")

    family_id: str
    shopping_item_id: str
    added_at: str
    """The creation time of the entry: a second tick is the same purchase."""
    name: str
    name_digest: str
    item_id: Sparse[str] = None
    store_id: Sparse[str] = None
    bought_at: str
    ttl: int


class StorePlace(Record):
    """The position of a name in a store's order."""

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


def digest_name(family_id: str, name: str) -> str:
    return digest(f"{family_id} {fold_name(name)}")[:32]


def purchase_of(entry: ShoppingListItem) -> Purchase:
    return Purchase(
        family_id=entry.family_id,
        shopping_item_id=entry.shopping_item_id,
        added_at=entry.created_at,
        name=entry.name,
        name_digest=digest_name(entry.family_id, entry.name),
        item_id=entry.item_id,
        store_id=entry.store_id,
        bought_at=entry.updated_at,
        ttl=_to_seconds(entry.updated_at) + HABIT_TTL_SECONDS,
    )


def latest_by_name(entries: Iterable[ShoppingListItem]) -> list[ShoppingListItem]:
    touched = sorted(entries, key=lambda entry: entry.updated_at)
    latest = {name_key(entry.name): entry for entry in touched}
    return sorted(latest.values(), key=lambda entry: entry.updated_at, reverse=True)[:MAX_RECENT]


def _to_seconds(timestamp: str) -> int:
    return int(datetime.fromisoformat(timestamp).timestamp())
