from typing import Literal

from homeshelf.table import INVENTORY, Keys, Versioned

Status = Literal["pending", "approved", "rejected"]


class Suggestion(Versioned):
    """A wish for something to be bought, or for something new in the inventory.

    Records from before there were versions and snapshots are read too: they count as version 1.
    """

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="SUGGESTION#{suggestionId}",
        GSI2PK="FAMILY#{familyId}#SUGGESTIONS",
        GSI2SK="STATUS#{status}#CREATED#{createdAt}",
    )

    suggestion_id: str
    family_id: str
    suggested_by: str
    suggested_by_name: str | None = None
    type: Literal["add_to_shopping", "create_item"]
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
    entity_type: Literal["Suggestion"] = "Suggestion"
