from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from homeshelf.coordination.claims import Claim
from homeshelf.table import INVENTORY, Database, Keys, SparseList, Versioned

NoticeType = Literal["low_stock"]

MAX_EXTRA_NOTICES = 2
"""The most additional notices of one item that are resolved together."""


class Notification(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="NOTIFICATION#{notificationId}",
        GSI2PK="FAMILY#{familyId}#NOTIFICATIONS",
        GSI2SK="STATUS#{status}#CREATED#{createdAt}",
    )
    notify = "family_id", "notification_id"

    notification_id: str
    family_id: str
    item_id: str
    item_name: str
    current_quantity: int
    threshold: int
    type: NoticeType = "low_stock"
    status: Literal["active", "acknowledged", "resolved"] = "active"
    resolved_at: str | None = None
    entity_type: Literal["Notification"] = "Notification"

    @property
    def is_open(self) -> bool:
        return self.status != "resolved"

    @property
    def claim(self) -> "NoticeClaim":
        return claim_on(self.type, self.family_id, self.item_id, self.notification_id)

    def resolved(self, at: str) -> "Notification":
        return self.revised(at, status="resolved", resolved_at=at)

    def acknowledged(self, at: str) -> "Notification":
        return self if self.status == "acknowledged" else self.revised(at, status="acknowledged")


@dataclass(frozen=True)
class NoticeState:
    text: str
    tone: Literal["", "low", "gone"]
    details: str


@dataclass(frozen=True)
class NoticeRow:
    name: str
    picture: str | None
    past: Callable[[str, str | None], str]
    """Return the text for the times at which the notice opened and ended."""
    state: NoticeState | None = None
    """None if the notice is resolved or its item was deleted."""
    path: str = ""


@dataclass(frozen=True)
class NoticeRows:
    read: Callable[[Database, Sequence["Notification"]], Awaitable[Mapping[str, NoticeRow]]]
    """Return page rows by notification id, for the notice kinds of one slice."""


class NoticeClaim(Claim):
    """The claim that allows only one open notice per item and kind."""

    family_id: str
    item_id: str
    beside: SparseList[str] = ()
    """Duplicates that another program opened; they are resolved together with the holder."""


class OpenNotice(NoticeClaim):
    keys = Keys(PK="CLAIMS#{familyId}", SK="NOTICE#{itemId}")


class OpenNoticeOfType(NoticeClaim):
    keys = Keys(PK="CLAIMS#{familyId}", SK="NOTICE#{itemId}#{type}")
    type: str


def claim_on(type_: str, family_id: str, item_id: str, holder: str = "") -> NoticeClaim:
    if type_ == "low_stock":
        return OpenNotice(family_id=family_id, item_id=item_id, holder=holder)
    return OpenNoticeOfType(family_id=family_id, item_id=item_id, type=type_, holder=holder)
