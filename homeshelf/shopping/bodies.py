from typing import Any

from pydantic import model_validator

from homeshelf.inventory.fields import Name, Notes
from homeshelf.sentences import _
from homeshelf.shopping.fields import EntryId, Item, NamesInOrder, Quantity, Status, Store, Typed
from homeshelf.shopping.putting_away import UNSAID, Belongs
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version, field_error


class NewEntry(NewBody):
    item_id: Item | None = None
    name: Name | None = None
    store_id: Store | None = None
    quantity: Quantity | None = None
    notes: Notes | None = None
    force: bool = False
    shopping_item_id: EntryId | None = None

    @model_validator(mode="before")
    @classmethod
    def _free_text_has_a_name(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not data.get("itemId") is data.get("name") is None:
            return data
        return data | {"name": ""}


class EntryChange(Body):
    name: Name = NOT_SENT
    store_id: Store | None = None
    quantity: Quantity | None = None
    notes: Notes | None = None
    version: Version


class StatusChange(Body):
    status: Status
    version: Version


class PuttingAway(NewBody):
    quantity: Quantity | None = None
    as_new_item: bool = False
    item_id: Item | None = None
    without_item: bool = False
    version: Version

    @model_validator(mode="after")
    def _is_one_of_them(self) -> "PuttingAway":
        if self.as_new_item + self.without_item + (self.item_id is not None) > 1:
            raise field_error(_("Say one of asNewItem, itemId and withoutItem."))
        return self

    @property
    def belongs(self) -> Belongs:
        return Belongs(self.as_new_item, self.item_id, self.without_item)


class TakingBack(Body):
    version: Version


class StoreOrder(Body):
    names: NamesInOrder


class AddForm(NewBody):
    text: Typed
    store_id: Store | None = None
    item_id: Item | None = None
    force: bool = False
    seen: bool = False


class AwayForm(NewBody):
    """Free text becomes a new item unless the form names one or does without."""

    quantity: Quantity | None = None
    version: Version
    free_text: bool = False
    item_id: Item | None = None
    without_item: bool = False
    undo: bool = False

    @property
    def belongs(self) -> Belongs:
        if not self.free_text:
            return UNSAID
        if self.without_item:
            return Belongs(without_item=True)
        return Belongs(as_new_item=self.item_id is None, item_id=self.item_id)


class AllAwayForm(NewBody):
    at: Store | None = None


class EntryForm(NewBody):
    name: Name
    quantity: Quantity | None = None
    store_id: Store | None = None
    notes: Notes | None = None
    version: Version
