"""What the pages of the list are sent."""

from typing import Annotated, Any

from homeshelf.inventory.model import MOST
from homeshelf.shopping.model import Status
from homeshelf.web.body import NewBody, id_, whole
from homeshelf.web.body import text as a_text
from homeshelf.web.body import version as a_version


class AddForm(NewBody):
    text: Annotated[str, a_text(1, 120, "What do you need? Up to 120 letters.")]
    store_id: Annotated[str, id_("Choose one of your shops.")] | None = None
    item_id: Annotated[str, id_("This is not in your stock.")] | None = None
    force: bool = False


class TickForm(NewBody):
    status: Status
    version: Annotated[int, a_version()]


class AwayForm(NewBody):
    version: Annotated[int, a_version()]
    quantity: Annotated[int, whole(1, MOST, "A whole number, 1 or more.")] | None = None
    undo: bool = False


class AllAwayForm(NewBody):
    at: Annotated[str, id_("Choose one of your shops.")] | None = None


class EntryForm(NewBody):
    name: Annotated[str, a_text(1, 100, "Give it a name of up to 100 letters.")]
    quantity: Annotated[int, whole(1, 9_999_999, "A whole number, 1 or more.")] | None = None
    store_id: Annotated[str, id_("Choose one of your shops.")] | None = None
    notes: Annotated[str, a_text(0, 500, "At most 500 letters.")] | None = None
    version: Annotated[int, a_version()]

    def details(self) -> dict[str, Any]:
        """What the form says; a field that was emptied is cleared."""
        return {
            "name": self.name,
            "quantity": self.quantity,
            "store_id": self.store_id,
            "notes": self.notes,
        }
