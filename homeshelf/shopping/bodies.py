from typing import Any, Literal

from pydantic import Json, model_validator

from homeshelf.inventory.fields import Name, Notes
from homeshelf.sentences import _
from homeshelf.shopping.fields import EntryId, Item, NameList, Quantity, Status, Store, TypedText
from homeshelf.shopping.stock_transfer import NO_CHOICE, StockChoice
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
    def _require_name(cls, data: Any) -> Any:
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
    def _require_one_choice(self) -> "PuttingAway":
        if self.as_new_item + self.without_item + (self.item_id is not None) > 1:
            raise field_error(_("Send one of asNewItem, itemId and withoutItem."))
        return self

    @property
    def choice(self) -> StockChoice:
        return StockChoice(self.as_new_item, self.item_id, self.without_item)


class TakingBack(Body):
    version: Version


class StoreOrder(Body):
    names: NameList


class AddForm(NewBody):
    text: TypedText
    store_id: Store | None = None
    item_id: Item | None = None
    force: bool = False
    seen: bool = False


class PutAwayForm(NewBody):
    """The form of one entry; free text becomes a new item unless the form says otherwise."""

    quantity: Quantity | None = None
    version: Version
    free_text: bool = False
    item_id: Item | None = None
    without_item: bool = False
    undo: bool = False

    @property
    def choice(self) -> StockChoice:
        if not self.free_text:
            return NO_CHOICE
        if self.without_item:
            return StockChoice(without_item=True)
        return StockChoice(as_new_item=self.item_id is None, item_id=self.item_id)


class TripLineForm(NewBody):
    """One entry in the form of a whole trip; free text needs `stock`."""

    quantity: Quantity
    version: Version
    stock: Literal["new", "match", "none"] | None = None
    item_id: Item | None = None

    @property
    def choice(self) -> StockChoice:
        return StockChoice(
            as_new_item=self.stock == "new",
            item_id=self.item_id if self.stock == "match" else None,
            without_item=self.stock == "none",
        )


class SeenEntry(Body):
    name: str
    quantity: int | None = None
    store_id: str | None = None
    notes: str | None = None


class EntryForm(NewBody):
    """The form of an entry; `seen` has the values that the page showed."""

    name: Name
    quantity: Quantity | None = None
    store_id: Store | None = None
    notes: Notes | None = None
    version: Version
    seen: Json[SeenEntry] | None = None

    @property
    def typed_fields(self) -> dict[str, Any]:
        return self.complete("version", "seen")

    @property
    def seen_fields(self) -> dict[str, Any]:
        return self.seen.complete() if self.seen else {}
