"""Records for tests, with default values for what a test does not care about."""

from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import PoolSlot, Shareable
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Record
from homeshelf.taps.model import NFCUrl

R = TypeVar("R", bound=Record)

_VALUES: dict[type, Callable[[str], object]] = {
    str: lambda name: f"some {name}",
    int: lambda _: 1,
    dict: lambda _: {},
}


def make_record(model: type[R], **given: Any) -> R:
    """Return a record with these values, and defaults for other required attributes."""
    needed = {
        name: _some(field.annotation, name)
        for name, field in model.model_fields.items()
        if field.is_required() and name not in given
    }
    return model(**needed, **given)


def fill_record(model: type[R]) -> R:
    """Return a record with a value for every attribute."""
    fields = model.model_fields.items()
    return model(**{name: _some(field.annotation, name) for name, field in fields})


def _some(annotation: Any, name: str) -> object:
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if get_origin(annotation) in (UnionType, Union, tuple):
        value = _some(get_args(annotation)[0], name)
        return (value,) if get_origin(annotation) is tuple else value
    kind = get_origin(annotation) or annotation
    make = _VALUES.get(kind)
    return make(name) if make else kind(1)


STAMPS = "version createdAt updatedAt entityType"


REQUIRED_ATTRIBUTES: dict[type[Record], str] = {
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
