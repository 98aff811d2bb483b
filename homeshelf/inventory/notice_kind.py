"""The contract of a notice kind; `low_stock.py` is an example."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import NoticeState, NoticeType
from homeshelf.outbox.notifications import NotificationText
from homeshelf.table import Key

Related = Sequence[Any]
"""The records that a kind reads, in the order of its keys; None for a missing one."""


def _no_keys(_family_id: str, _item_id: str) -> Sequence[Key[Any]]:
    return ()


def _no_date(_item: InventoryItem, _related: Related, _now: datetime) -> datetime | None:
    return None


@dataclass(frozen=True, kw_only=True)
class NoticeKind:
    type: NoticeType
    notification: str
    """The stored kind of the notification that a new notice causes."""
    due: Callable[[InventoryItem, Related, datetime], bool]
    """Decide whether the item needs an open notice now."""
    text: Callable[[InventoryItem, Related], NotificationText]
    state: Callable[[InventoryItem, Related], NoticeState]
    """Describe an open notice on the page."""
    past: Callable[[str, str | None], str]
    """Describe when a closed notice opened and, if known, when it ended."""
    reads: Callable[[str, str], Sequence[Key[Any]]] = _no_keys
    """Return the keys of other records; their writers call `notices.writes_of_related_change`."""
    next_evaluation: Callable[[InventoryItem, Related, datetime], datetime | None] = _no_date
    """Return the next time after `now` at which `due` may change without a write."""

    @property
    def depends_only_on_item(self) -> bool:
        return self.reads is _no_keys and self.next_evaluation is _no_date
