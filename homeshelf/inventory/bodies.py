from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from homeshelf.errors import Invalid
from homeshelf.inventory.barcodes import to_ean13
from homeshelf.inventory.default_threshold import default_threshold
from homeshelf.inventory.fields import (
    Barcodes,
    ChangedBarcodes,
    Delta,
    FormThreshold,
    Location,
    Name,
    NewId,
    Notes,
    Quantity,
    Store,
    Stores,
    Threshold,
    Unit,
)
from homeshelf.sentences import _
from homeshelf.web.body import NOT_SENT, Body, FieldRule, NewBody, Version
from homeshelf.web.picture import Picture

MAX_ITEMS = 100
MAX_CODES_IN_REQUEST = 80
"""The most barcodes in one request: each takes one write of its transaction."""
DUPLICATE = _("Another item in this request has this barcode too")


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


class BatchItem(NewItem):
    item_id: NewId | None = None


class NewItems(NewBody):
    items: Annotated[
        list[BatchItem],
        Field(min_length=1, max_length=MAX_ITEMS),
        FieldRule(_("Items must be a list of 1 to {most}", most=MAX_ITEMS)),
    ]

    def require_distinct(self) -> None:
        """Refuse ids and barcodes that two items share, and too many barcodes."""
        errors: list[tuple[str, str]] = []
        ids: set[str] = set()
        codes: set[str] = set()
        for place, item in enumerate(self.items):
            own = {to_ean13(code) for code in item.barcodes}
            if item.item_id in ids:
                errors.append((f"items.{place}.itemId", DUPLICATE))
            if own & codes:
                errors.append((f"items.{place}.barcodes", DUPLICATE))
            ids |= {item.item_id} if item.item_id else set()
            codes |= own
        if sum(len(item.barcodes) for item in self.items) > MAX_CODES_IN_REQUEST:
            most = _("Use at most {most} barcodes in total", most=MAX_CODES_IN_REQUEST)
            errors.append(("items", most))
        if errors:
            raise Invalid(errors)


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
    """A form in which "never" stands for a threshold of 0."""

    threshold: FormThreshold = 0
    tell: Literal["below", "never"] = "below"
    version: Version | None = None

    @model_validator(mode="before")
    @classmethod
    def _drop_unused_threshold(cls, data: Any) -> Any:
        """Ignore a threshold that was typed before "never" was chosen."""
        if not isinstance(data, dict) or data.get("tell") != "never":
            return data
        return {name: value for name, value in data.items() if name != "threshold"}

    def details(self, quantity: int) -> dict[str, Any]:
        lists = {"alternate_store_ids", "barcodes"} - self.model_fields_set
        given = self.complete("quantity", "version", "tell", *lists)
        is_default = self.tell == "below" and "threshold" not in self.model_fields_set
        return (
            given | {"threshold": default_threshold(self.unit, quantity)} if is_default else given
        )


class DeleteForm(NewBody):
    version: Version


class Adjustment(NewBody):
    delta: Delta


class AdjustForm(Adjustment):
    back: str = ""
