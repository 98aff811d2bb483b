from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from uuid import UUID

from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.signing import digest
from homeshelf.table import HELPER, INVENTORY, Keys, Record, Sparse

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
URL_ID_LENGTH = 22
JUMP_MIN_TAPS, JUMP_FACTOR = 20, 4
"""The taps of a week, and their ratio to the average, that suggest a stranger has the tag."""
MIN_URL_ID_LENGTH = 20
"""The shortest id: ours have 22 characters, those of other programs may be shorter."""


class NFCUrl(Record):
    """The address on a tag. Any client that has it may see one item and change its count."""

    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="ITEM#{itemId}#URL#{urlId}",
        GSI1PK="URL#{urlId}",
        GSI1SK="ITEM#{itemId}",
        GSI2PK="FAMILY#{familyId}#URLS",
        GSI2SK="CREATED#{createdAt}#URL#{urlId}",
    )
    partial_update, lock = True, "is_active"
    notify = "family_id", "url_id"

    url_id: str
    item_id: str
    family_id: str
    item_name: str
    is_active: bool = True
    label: Sparse[str] = None
    created_at: str
    created_by: str
    last_accessed_at: Sparse[str] = None
    access_count: int = 0
    rotated_at: Sparse[str] = None
    rotated_by: Sparse[str] = None
    entity_type: Literal["NFCUrl"] = "NFCUrl"

    @property
    def path(self) -> str:
        return f"/t/{self.url_id}"

    @property
    def tag_id(self) -> "TagId":
        return TagId(self.family_id, self.item_id, self.url_id)

    @property
    def short_hash(self) -> str:
        return digest(self.url_id)[:16]


class WeekOfTaps(Record):
    """The use count of a tag in one week, named by its Monday."""

    table = HELPER
    keys = Keys(PK="TAPS#{familyId}", SK="ITEM#{itemId}#URL#{urlId}#WEEK#{week}")

    family_id: str
    item_id: str
    url_id: str
    week: str
    count: int
    ttl: int


class TagId(NamedTuple):
    family_id: str
    item_id: str
    url_id: str


@dataclass(frozen=True)
class ActiveTag:
    tag: NFCUrl
    item: InventoryItem


def url_id_of(uuid: str) -> str:
    """Encode the 128 bits of a UUID in base62, padded to 22 characters."""
    number, text = UUID(uuid).int, ""
    while number:
        number, digit = divmod(number, len(BASE62))
        text = BASE62[digit] + text
    return text.rjust(URL_ID_LENGTH, BASE62[0])


def is_url_id(text: str) -> bool:
    return MIN_URL_ID_LENGTH <= len(text) <= URL_ID_LENGTH and text.isascii() and text.isalnum()


def has_jump(weeks: Sequence[int]) -> bool:
    """Check whether the last week is far above the average."""
    before, last = weeks[:-1], sum(weeks[-1:])
    return bool(before) and last >= JUMP_MIN_TAPS and last > JUMP_FACTOR * sum(before) / len(before)


def tap_message(item: InventoryItem, applied: int, *, undo: bool) -> str:
    """Return the message of a tap: `Took 1 Paper Towels, 3 left`."""
    if applied == 0:
        return _("{item}: already at {left}", item=item.name, left=item.quantity)
    left = f"{item.quantity} {item.unit}" if item.unit else item.quantity
    values = {"number": abs(applied), "item": item.name, "left": left}
    match applied > 0, undo:
        case False, False:
            return _("Took {number} {item}, {left} left", **values)
        case True, False:
            return _("Added {number} {item}, {left} left", **values)
        case False, True:
            return _("Took {number} {item} back, {left} left", **values)
    return _("Put {number} {item} back, {left} left", **values)
