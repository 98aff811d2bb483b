from typing import Annotated

from pydantic import Field

from homeshelf.inventory.fields import Barcode, Delta, Location, Store, Unit
from homeshelf.places.fields import LocationName
from homeshelf.sentences import _
from homeshelf.shopping.entry_parser import remove_invisible
from homeshelf.shopping.fields import Item
from homeshelf.web.body import FieldRule, NewBody, Version, text, whole

MAX_LINES = 500
MAX_COUNT = 1_000_000
"""The limit of an adjustment, which counts an existing item up."""
MAX_NAME = 100
MAX_UNIT = 50
MAX_PLACE = 50
MAX_TEXT = 50_000
MAX_TICKED = 90

Count = Annotated[
    int,
    whole(
        1, MAX_COUNT, _("Count must be a positive integer"), _("Enter a whole number, 1 or more.")
    ),
]
Written = Annotated[str, text(0, MAX_TEXT, _("That’s a lot. Add it in two parts."), kind="any")]
Ticked = Annotated[
    list[Annotated[str, Field(max_length=MAX_NAME + MAX_PLACE + 2)]],
    Field(max_length=MAX_TICKED),
    FieldRule(_("That’s a lot. Add it in two parts.")),
]


class TakeForm(NewBody):
    text: Written = ""
    ticked: Ticked = Field(default_factory=list)
    quantity: Count | None = None
    unit: Unit | None = None
    location_id: Location | None = None
    preferred_store_id: Store | None = None
    new_place: LocationName | None = None
    barcode: Barcode | None = None
    makes_places: bool = False
    seen: bool = False

    @property
    def written(self) -> str:
        return remove_invisible("\n".join([*self.ticked, self.text]))


class UndoForm(NewBody):
    item_id: Item
    delta: Delta
    version: Version | None = None
    location_id: Location | None = None
    preferred_store_id: Store | None = None
    unit: Unit | None = None
