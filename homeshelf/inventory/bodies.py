"""What the pages of the inventory are sent."""

from typing import Annotated, Any

from pydantic import Field

from homeshelf.inventory.model import MOST
from homeshelf.web.body import NewBody, Says, id_, text, whole

Name = Annotated[str, text(1, 100, "Give it a name of up to 100 letters.")]
Count = Annotated[int, whole(0, MOST, "A whole number, 0 or more.")]
PlaceId = Annotated[str, id_("Choose one from the list.")]


class ItemForm(NewBody):
    name: Name
    quantity: Count = 0
    threshold: Count = 0
    location_id: PlaceId | None = None
    preferred_store_id: PlaceId | None = None
    alternate_store_ids: Annotated[
        list[PlaceId], Field(max_length=20), Says("Choose up to 20 others.")
    ] = Field(default_factory=list)
    unit: Annotated[str, text(0, 50, "At most 50 letters.")] | None = None
    notes: Annotated[str, text(0, 500, "At most 500 letters.")] | None = None
    version: Annotated[int, Field(ge=1)] | None = None

    def details(self) -> dict[str, Any]:
        """What it is and where it belongs; a field that was emptied is cleared."""
        others = tuple(dict.fromkeys(self.alternate_store_ids))
        chosen = {"alternate_store_ids": others} if self._says_where_else else {}
        return chosen | {
            "name": self.name,
            "threshold": self.threshold,
            "location_id": self.location_id,
            "preferred_store_id": self.preferred_store_id,
            "unit": self.unit,
            "notes": self.notes,
        }

    @property
    def _says_where_else(self) -> bool:
        """Boxes that nobody ticked are not sent: the page says with another field that it asks."""
        return "alternate_store_ids" in self.model_fields_set


class DeleteForm(NewBody):
    version: Annotated[int, Field(ge=1)]


class AdjustForm(NewBody):
    delta: Annotated[int, whole(-1_000_000, 1_000_000, "A whole number.", zero=False)]
    back: str = ""
