"""The contract of a kind of notice, such as the one in `low_stock.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import NoticeState, NoticeType
from homeshelf.outbox.notifications import NotificationText
from homeshelf.table import Key

Related = Sequence[Any]
"""The records under the keys that the kind reads, in that order; None for a missing one."""


def _reads_nothing(_family_id: str, _item_id: str) -> Sequence[Key[Any]]:
    return ()


def _is_never_due_by_date(
    _item: InventoryItem, _related: Related, _now: datetime
) -> datetime | None:
    return None


@dataclass(frozen=True, kw_only=True)
class NoticeKind:
    type: NoticeType
    notification: str
    """The stored kind of the notification that a new notice causes."""
    due: Callable[[InventoryItem, Related, datetime], bool]
    """Decide whether the item has an open notice now."""
    text: Callable[[InventoryItem, Related], NotificationText]
    """Describe the item in a notification."""
    state: Callable[[InventoryItem, Related], NoticeState]
    """Describe an open notice on the page."""
    past: Callable[[str, str | None], str]
    """Say on the page when a closed notice was opened and, if it is known, when it ended."""
    reads: Callable[[str, str], Sequence[Key[Any]]] = _reads_nothing
    """Return the keys of other records that `due` depends on, by family and item. A transaction
    that changes one of them includes `notices.writes_of_related_change`."""
    next_look: Callable[[InventoryItem, Related, datetime], datetime | None] = _is_never_due_by_date
    """Return the next time after `now` at which `due` may change by itself."""

    @property
    def depends_on_item_alone(self) -> bool:
        return self.reads is _reads_nothing and self.next_look is _is_never_due_by_date
