from typing import Literal

from homeshelf.coordination.claims import Claim
from homeshelf.table import INVENTORY, Keys, Versioned


class Notification(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="NOTIFICATION#{notificationId}",
        GSI2PK="FAMILY#{familyId}#NOTIFICATIONS",
        GSI2SK="STATUS#{status}#CREATED#{createdAt}",
    )

    notification_id: str
    family_id: str
    item_id: str
    item_name: str
    current_quantity: int
    threshold: int
    type: Literal["low_stock"] = "low_stock"
    status: Literal["active", "acknowledged", "resolved"] = "active"
    resolved_at: str | None = None
    entity_type: Literal["Notification"] = "Notification"

    @property
    def is_open(self) -> bool:
        """Whether it still runs low, seen or not."""
        return self.status != "resolved"

    def resolved(self, at: str) -> "Notification":
        return self.revised(at, status="resolved", resolved_at=at)

    def acknowledged(self, at: str) -> "Notification":
        return self.revised(at, status="acknowledged")


class OpenNotice(Claim):
    """At most one unresolved notice an item."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="NOTICE#{itemId}")
    family_id: str
    item_id: str
