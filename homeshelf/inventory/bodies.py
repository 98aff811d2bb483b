"""What is sent about items: by programs, and by the forms of the pages."""

from typing import Any, Literal

from pydantic import Field, model_validator

from homeshelf.inventory.fields import (
    Barcodes,
    ChangedBarcodes,
    Delta,
    Location,
    Mark,
    Name,
    Notes,
    Quantity,
    Store,
    Stores,
    Threshold,
    Unit,
)
from homeshelf.inventory.marks import start_of
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
    barcodes: Barcodes = Field(default_factory=list)


class ItemChange(Body):
    name: Name = NOT_SENT
    threshold: Threshold = NOT_SENT
    location_id: Location | None = None
    preferred_store_id: Store | None = None
    alternate_store_ids: Stores = NOT_SENT
    unit: Unit | None = None
    notes: Notes | None = None
    picture: Picture | None = None
    barcodes: ChangedBarcodes = NOT_SENT
    version: Version


class ItemForm(NewItem):
    """A mark of 0 is never typed: who wants to be told nothing says so."""

    threshold: Mark = 0
    tell: Literal["below", "never"] = "below"
    version: Version | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_mark(cls, data: Any) -> Any:
        """What still stands in the field counts for nothing where nobody wants to be told."""
        if not isinstance(data, dict) or data.get("tell") != "never":
            return data
        return {name: value for name, value in data.items() if name != "threshold"}

    def details(self, quantity: int) -> dict[str, Any]:
        """What it is and where it belongs. Of a list nothing is sent where it is empty: the page
        says with another field that it asks."""
        lists = {"alternate_store_ids", "barcodes"} - self.model_fields_set
        given = self.complete("quantity", "version", "tell", *lists)
        is_left = self.tell == "below" and "threshold" not in self.model_fields_set
        return given | {"threshold": start_of(self.unit, quantity)} if is_left else given


class DeleteForm(NewBody):
    version: Version


class Adjustment(NewBody):
    delta: Delta


class AdjustForm(Adjustment):
    back: str = ""
