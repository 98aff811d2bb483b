from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from homeshelf.errors import Invalid
from homeshelf.inventory.barcodes import compared
from homeshelf.inventory.fields import (
    Barcodes,
    ChangedBarcodes,
    Delta,
    Location,
    Mark,
    Name,
    NewId,
    Notes,
    Quantity,
    Store,
    Stores,
    Threshold,
    Unit,
)
from homeshelf.inventory.marks import start_of
from homeshelf.sentences import _
from homeshelf.web.body import NOT_SENT, Body, FieldRule, NewBody, Version
from homeshelf.web.picture import Picture

MOST_ITEMS = 100
MOST_CODES_AT_ONCE = 80
"""Each takes one write of the deciding transaction."""
SHARED = _("Another item in this request has this barcode too")


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


class ItemOfMany(NewItem):
    item_id: NewId | None = None


class NewItems(NewBody):
    items: Annotated[
        list[ItemOfMany],
        Field(min_length=1, max_length=MOST_ITEMS),
        FieldRule(_("Items must be a list of 1 to {most}", most=MOST_ITEMS)),
    ]

    def require_distinct(self) -> None:
        """Refuse ids and barcodes that two items share, and more codes than a transaction holds."""
        wrong: list[tuple[str, str]] = []
        ids: set[str] = set()
        codes: set[str] = set()
        for place, item in enumerate(self.items):
            own = {compared(code) for code in item.barcodes}
            if item.item_id in ids:
                wrong.append((f"items.{place}.itemId", SHARED))
            if own & codes:
                wrong.append((f"items.{place}.barcodes", SHARED))
            ids |= {item.item_id} if item.item_id else set()
            codes |= own
        if sum(len(item.barcodes) for item in self.items) > MOST_CODES_AT_ONCE:
            most = _("Use at most {most} barcodes in total", most=MOST_CODES_AT_ONCE)
            wrong.append(("items", most))
        if wrong:
            raise Invalid(wrong)


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
    """A threshold of 0 cannot be typed: the form has "never" for it."""

    threshold: Mark = 0
    tell: Literal["below", "never"] = "below"
    version: Version | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_mark(cls, data: Any) -> Any:
        """Ignore a threshold that is left in the field when "never" is chosen."""
        if not isinstance(data, dict) or data.get("tell") != "never":
            return data
        return {name: value for name, value in data.items() if name != "threshold"}

    def details(self, quantity: int) -> dict[str, Any]:
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
