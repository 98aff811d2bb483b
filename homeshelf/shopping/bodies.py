"""What is sent about the list: by programs, and by the forms of the pages."""

from typing import Any

from pydantic import model_validator

from homeshelf.shopping.fields import (
    EntryId,
    Item,
    Name,
    NamesInOrder,
    Notes,
    Quantity,
    Status,
    Store,
    Typed,
)
from homeshelf.web.body import NOT_SENT, Body, NewBody, Version


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
    version: Version


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


class AwayForm(PuttingAway):
    undo: bool = False


class AllAwayForm(NewBody):
    at: Store | None = None


class EntryForm(NewBody):
    name: Name
    quantity: Quantity | None = None
    store_id: Store | None = None
    notes: Notes | None = None
    version: Version
