"""What is sent about items: by programs, and by the forms of the pages."""

from typing import Any

from pydantic import Field

from homeshelf.inventory.fields import (
    Delta,
    Location,
    Name,
    Notes,
    Quantity,
    Store,
    Stores,
    Threshold,
    Unit,
)
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version
from homeshelf.web.picture import Picture


class NewItem(NewBody):
    name: Name
    quantity: Quantity = 0
    threshold: Threshold = 0
    location_id: Location | None = None
    preferred_store_id: Store | None = None
    alternate_store_ids: Stores = Field(default_factory=list)
    unit: Unit | None = None
    notes: Notes | None = None
    picture: Picture | None = None


class ItemChange(Body):
    name: Name = NOT_SENT
    threshold: Threshold = NOT_SENT
    location_id: Location | None = None
    preferred_store_id: Store | None = None
    alternate_store_ids: Stores = NOT_SENT
    unit: Unit | None = None
    notes: Notes | None = None
    picture: Picture | None = None
    version: Version


class ItemForm(NewItem):
    version: Version | None = None

    def details(self) -> dict[str, Any]:
        """What it is and where it belongs. Boxes that nobody ticked are not sent: the page says
        with another field that it asks."""
        others = () if "alternate_store_ids" in self.model_fields_set else ("alternate_store_ids",)
        return self.complete("quantity", "version", *others)


class DeleteForm(NewBody):
    version: Version


class Adjustment(NewBody):
    delta: Delta


class AdjustForm(Adjustment):
    back: str = ""
