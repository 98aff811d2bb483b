from typing import Literal

from homeshelf.table import HELPER, INVENTORY, Keys, Put, Record, Sparse, Versioned, attr
from homeshelf.table.expressions import Value

Type = Literal["add_to_shopping", "create_item"]
Status = Literal["pending", "approved", "rejected"]

UNKNOWN, UNKNOWN_ITEM = "Unknown", "Unknown Item"
NULLABLE = (
    "item_id",
    "item_name_snapshot",
    "proposed_item_name",
    "proposed_quantity",
    "proposed_threshold",
    "notes",
    "rejection_notes",
)


class Suggestion(Versioned):
    """A wish for an item to buy or for a new item."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="SUGGESTION#{suggestionId}",
        GSI2PK="FAMILY#{familyId}#SUGGESTIONS",
        GSI2SK="STATUS#{status}#CREATED#{createdAt}",
    )
    notify = "family_id", "suggestion_id"
    private = frozenset({"made_item_id"})

    suggestion_id: str
    family_id: str
    suggested_by: str
    suggested_by_name: str | None = None
    type: Type
    status: Status = "pending"
    item_id: str | None = None
    item_name_snapshot: str | None = None
    proposed_item_name: str | None = None
    proposed_quantity: int | None = None
    proposed_threshold: int | None = None
    notes: str | None = None
    rejection_notes: str | None = None
    reviewed_by: str | None = None
    reviewed_at: str | None = None
    made_item_id: Sparse[str] = None
    """Set in records of earlier versions only; newer ones have a `CreatedItem`."""
    entity_type: Literal["Suggestion"] = "Suggestion"

    def item(self) -> dict[str, Value]:
        """Return the stored form; a decision completes a record of an earlier version."""
        item = super().item()
        item.pop("madeItemId", None)
        if not self.is_pending:
            for name in NULLABLE:
                item.setdefault(self.aliases[name], None)
        return item

    @property
    def is_pending(self) -> bool:
        return self.status == "pending"

    @property
    def item_name(self) -> str:
        return self.item_name_snapshot or self.proposed_item_name or UNKNOWN_ITEM

    @property
    def has_missing_names(self) -> bool:
        """True for records of versions that stored no names."""
        without_item = self.type == "add_to_shopping" and self.item_name_snapshot is None
        return self.suggested_by_name is None or without_item

    def with_names(self, suggester: str | None, item: str | None) -> "Suggestion":
        """Fill in missing names; only a wish for an existing item has an item name."""
        is_of_item = self.type == "add_to_shopping"
        by = self.suggested_by_name or suggester or UNKNOWN
        snapshot = self.item_name_snapshot or item or UNKNOWN_ITEM if is_of_item else None
        if (self.suggested_by_name, self.item_name_snapshot) == (by, snapshot):
            return self
        return self.changed(suggested_by_name=by, item_name_snapshot=snapshot)

    def as_approved(self, by: str, at: str) -> "Suggestion":
        return self.revised(at, status="approved", reviewed_by=by, reviewed_at=at)

    def as_rejected(self, by: str, at: str, notes: str | None) -> "Suggestion":
        return self.revised(
            at, status="rejected", reviewed_by=by, reviewed_at=at, rejection_notes=notes
        )

    def replacing(self, old: "Suggestion") -> Put:
        """Require that the old record is pending: decisions are final."""
        return self.put(old.unchanged & (attr("status") == "pending"))


class CreatedItem(Record):
    """The link from a suggestion to the item that its approval created."""

    table = HELPER
    keys = Keys(PK="CREATED_ITEMS#{familyId}", SK="SUGGESTION#{suggestionId}")

    family_id: str
    suggestion_id: str
    item_id: str


class HeardAnswer(Record):
    """The mark that the child has seen the decision."""

    table = HELPER
    keys = Keys(PK="HEARD#{familyId}", SK="SUGGESTION#{suggestionId}")

    family_id: str
    suggestion_id: str
    ttl: int
