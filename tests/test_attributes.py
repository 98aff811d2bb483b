"""New records have the attributes of the documents, no more and no less.

What a document writes `x: T | null` is stored as null; what it writes `x?: T` is left out.
"""

import pytest

from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import Shareable
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Record
from homeshelf.taps.model import NFCUrl
from tests.records import REQUIRED_ATTRIBUTES, fill_record, make_record

WITH_A_VALUE: dict[type[Record], str] = {
    ShoppingListItem: "putAwayAt",
    NFCUrl: "lastAccessedAt rotatedAt rotatedBy label",
    Shareable: "note viewPasscode adminPasscode hidden ordering ttl",
    ChecklistItem: "note checked checkedAt checkedBy ttl",
    Book: "author isbn description rating currentPage totalPages price currency store purchaseDate "
    "boughtAt finishedAt",
    ReaderSettings: "yearlyGoal",
    Member: "picture term mayTick",
    Invitation: "term mailed",
    InventoryItem: "locationId preferredStoreId unit notes picture barcodes",
    QuantityChange: "by",
    StorageLocation: "description closedAt",
    Store: "address closedAt",
}
NULL: dict[type[Record], str] = {
    ShoppingListItem: "itemId storeId quantity notes ttl",
    Suggestion: "suggestedByName itemId itemNameSnapshot proposedItemName proposedQuantity "
    "proposedThreshold notes rejectionNotes reviewedBy reviewedAt",
    Notification: "resolvedAt",
}


@pytest.mark.parametrize("model", REQUIRED_ATTRIBUTES)
def test_missing_attributes_are_null_or_omitted(model: type[Record]) -> None:
    item = make_record(model).item()
    assert sorted(item) == sorted(REQUIRED_ATTRIBUTES[model].split())
    nulls = [name for name, value in item.items() if value is None]
    assert sorted(nulls) == sorted(NULL.get(model, "").split())


@pytest.mark.parametrize("model", REQUIRED_ATTRIBUTES)
def test_full_record_has_only_documented_attributes(model: type[Record]) -> None:
    names = f"{REQUIRED_ATTRIBUTES[model]} {WITH_A_VALUE.get(model, '')}"
    assert sorted(fill_record(model).item()) == sorted(names.split())


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Family, "Family"),
        (Member, "Member"),
        (Invitation, "Invitation"),
        (InventoryItem, "InventoryItem"),
        (StorageLocation, "StorageLocation"),
        (Store, "Store"),
        (Notification, "Notification"),
        (ShoppingListItem, "ShoppingListItem"),
        (Suggestion, "Suggestion"),
        (NFCUrl, "NFCUrl"),
        (Book, "BOOK"),
        (Note, "NOTE"),
        (ReadingEvent, "EVENT"),
        (ReaderSettings, "METADATA"),
    ],
)
def test_record_stores_its_entity_type(model: type[Record], name: str) -> None:
    assert make_record(model).item()["entityType"] == name


def test_new_record_has_documented_defaults() -> None:
    assert (make_record(ShoppingListItem).status, make_record(ShoppingListItem).version) == (
        "pending",
        1,
    )
    assert (make_record(Suggestion).status, make_record(Suggestion).version) == ("pending", 1)
    assert (make_record(NFCUrl).is_active, make_record(NFCUrl).access_count) == (True, 0)
    assert make_record(Book).status == "SHELF"
    assert make_record(InventoryItem).item()["alternateStoreIds"] == []
