"""New records have the attributes of the documents, no more and no less.

What a document writes `x: T | null` is stored as null; what it writes `x?: T` is left out.
"""

import pytest

from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shares.model import ChecklistItem, PoolSlot, Shareable
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Record
from homeshelf.taps.model import NFCUrl
from tests.made import filled, made

STAMPS = "version createdAt updatedAt entityType"

ALWAYS: dict[type[Record], str] = {
    ShoppingListItem: "PK SK GSI2PK GSI2SK shoppingItemId familyId itemId name storeId status "
    f"quantity notes ttl addedBy {STAMPS}",
    Suggestion: "PK SK GSI2PK GSI2SK suggestionId familyId suggestedBy suggestedByName type status "
    "itemId itemNameSnapshot proposedItemName proposedQuantity proposedThreshold notes "
    f"rejectionNotes reviewedBy reviewedAt {STAMPS}",
    NFCUrl: "PK SK GSI1PK GSI1SK GSI2PK GSI2SK entityType urlId itemId familyId itemName isActive "
    "createdAt createdBy accessCount",
    PoolSlot: "pk sk id",
    Shareable: "pk sk entity shortId name expiresAt version",
    ChecklistItem: "pk sk shortId checklistItemId order name",
    Book: "pk sk gsi1pk gsi1sk entityType userId id title status createdAt updatedAt",
    Note: "pk sk entityType userId id bookId content createdAt updatedAt",
    ReadingEvent: "pk sk entityType userId id bookId page occurredAt",
    ReaderSettings: "pk sk entityType userId",
    Family: f"PK SK familyId name createdBy admins {STAMPS}",
    Member: f"PK SK GSI1PK GSI1SK memberId familyId email name role status {STAMPS}",
    Invitation: "PK SK GSI1PK GSI1SK invitationId familyId email role status invitedBy expiresAt "
    f"secretHash links {STAMPS}",
    InventoryItem: "PK SK GSI2PK GSI2SK itemId familyId name quantity threshold alternateStoreIds "
    f"status createdBy {STAMPS}",
    QuantityChange: "PK SK id familyId itemId at source delta quantity ttl",
    StorageLocation: f"PK SK locationId familyId name {STAMPS}",
    Store: f"PK SK storeId familyId name {STAMPS}",
    Notification: "PK SK GSI2PK GSI2SK notificationId familyId itemId itemName currentQuantity "
    f"threshold type status resolvedAt {STAMPS}",
}
WITH_A_VALUE: dict[type[Record], str] = {
    ShoppingListItem: "putAwayAt",
    NFCUrl: "lastAccessedAt rotatedAt rotatedBy label",
    Shareable: "note viewPasscode adminPasscode hidden ordering ttl",
    ChecklistItem: "note checked checkedAt checkedBy ttl",
    Book: "author isbn description rating currentPage totalPages price currency store purchaseDate "
    "boughtAt finishedAt",
    ReaderSettings: "yearlyGoal",
    Member: "picture term",
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


@pytest.mark.parametrize("model", ALWAYS)
def test_what_a_new_record_does_not_say_is_null_or_left_out(model: type[Record]) -> None:
    item = made(model).item()
    assert sorted(item) == sorted(ALWAYS[model].split())
    nulls = [name for name, value in item.items() if value is None]
    assert sorted(nulls) == sorted(NULL.get(model, "").split())


@pytest.mark.parametrize("model", ALWAYS)
def test_a_record_with_a_value_for_everything_has_no_other_attributes(model: type[Record]) -> None:
    names = f"{ALWAYS[model]} {WITH_A_VALUE.get(model, '')}"
    assert sorted(filled(model).item()) == sorted(names.split())


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
def test_a_record_says_what_it_is(model: type[Record], name: str) -> None:
    assert made(model).item()["entityType"] == name


def test_what_begins_begins_so() -> None:
    assert (made(ShoppingListItem).status, made(ShoppingListItem).version) == ("pending", 1)
    assert (made(Suggestion).status, made(Suggestion).version) == ("pending", 1)
    assert (made(NFCUrl).is_active, made(NFCUrl).access_count) == (True, 0)
    assert made(Book).status == "SHELF"
    assert made(InventoryItem).item()["alternateStoreIds"] == []
