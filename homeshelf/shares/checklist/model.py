"""The items of a checklist, and their rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from homeshelf import clock
from homeshelf.shares.model import ChildRecord
from homeshelf.table import Condition, Keys, Sparse, exists

Entity = Literal["checklist"]
ENTITY: Entity = "checklist"
MAX_ITEMS = 500
GAP = 2**20
"""The gap between the orders of two items, so that moving one item writes no other."""


@dataclass(frozen=True)
class NewItem:
    name: str
    note: str | None = None


class ChecklistItem(ChildRecord):
    keys = Keys(pk="checklist_item#{shortId:bare}", sk="01#{checklistItemId:bare}#")
    private = frozenset({"short_id", "ttl"})
    partial_update = True
    notify = "bare_id", "checklist_item_id"
    entity_type: ClassVar[str] = "checklist_item"
    unchanged: ClassVar[Condition] = exists
    """Changes of different attributes do not conflict, and the last change of one wins."""

    checklist_item_id: str
    order: int
    name: str
    note: Sparse[str] = None
    checked: Sparse[bool] = None
    checked_at: Sparse[str] = None
    checked_by: Sparse[str] = None
    """The name that the person typed."""
    ttl: Sparse[int] = None

    @property
    def rank(self) -> tuple[int, str]:
        return self.order, self.checklist_item_id

    def ticked(self, by: str | None) -> "ChecklistItem":
        if self.checked and self.checked_by == by:
            return self
        return self.changed(checked=True, checked_at=clock.timestamp(), checked_by=by)

    def unticked(self) -> "ChecklistItem":
        return self.changed(checked=None, checked_at=None, checked_by=None)


def sort_items(items: Iterable[ChecklistItem]) -> tuple[ChecklistItem, ...]:
    return tuple(sorted(items, key=lambda item: item.rank))
