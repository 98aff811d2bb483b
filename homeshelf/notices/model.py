from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from homeshelf.coordination.claims import Claim
from homeshelf.table import INVENTORY, Database, Keys, SparseList, Versioned

NoticeType = Literal["low_stock"]

MOST_BESIDE = 2
"""How many more notices of an item end together with its own."""


class Notification(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="NOTIFICATION#{notificationId}",
        GSI2PK="FAMILY#{familyId}#NOTIFICATIONS",
        GSI2SK="STATUS#{status}#CREATED#{createdAt}",
    )
    heard = "family_id", "notification_id"

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

    def resolved(self, at: str) -> "Notification":
        return self.revised(at, status="resolved", resolved_at=at)

    def acknowledged(self, at: str) -> "Notification":
        return self if self.status == "acknowledged" else self.revised(at, status="acknowledged")


@dataclass(frozen=True)
class NoticeState:
    """What the page says about an open notice."""

    text: str
    tone: Literal["", "low", "gone"]
    """The colour of the text."""
    details: str


@dataclass(frozen=True)
class NoticeRow:
    """A notice on the page."""

    name: str
    picture: str | None
    """The picture that somebody chose for the item."""
    past: Callable[[str, str | None], str]
    """Say when it was opened and when it ended."""
    state: NoticeState | None = None
    """None if it is closed, or its item is gone."""
    path: str = ""


@dataclass(frozen=True)
class NoticeRows:
    read: Callable[[Database, Sequence["Notification"]], Awaitable[Mapping[str, NoticeRow]]]
    """Return how the page shows notices, by id, of the kinds that a slice has."""


class NoticeClaim(Claim):
    """The open notice of an item, which allows no second one."""

    family_id: str
    item_id: str
    beside: SparseList[str] = ()
    """Notices that another program opened all the same: they end together."""


class OpenNotice(NoticeClaim):
    """At most one unresolved notice of low stock an item."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="NOTICE#{itemId}")


class OpenNoticeOfType(NoticeClaim):
    """At most one unresolved notice of each other type an item."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="NOTICE#{itemId}#{type}")
    type: str


def claim_on(type_: str, family_id: str, item_id: str, holder: str = "") -> NoticeClaim:
    """Return the claim of an open notice."""
    if type_ == "low_stock":
        return OpenNotice(family_id=family_id, item_id=item_id, holder=holder)
    return OpenNoticeOfType(family_id=family_id, item_id=item_id, type=type_, holder=holder)
