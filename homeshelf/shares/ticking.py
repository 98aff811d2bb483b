"""Ticking an item, which everybody who sees the list may do.

tick(db, shared, item_id, Tick(checked, by))
"""

from dataclasses import dataclass

from homeshelf.coordination.changing import Outcome, change
from homeshelf.shares.model import ChecklistItem, Shareable
from homeshelf.table import Database


@dataclass(frozen=True)
class Tick:
    checked: bool | None
    """None leaves it as it is."""
    by: str | None = None
    """What the person typed as their name."""
    says_who: bool = True
    """Whether `by` was said at all."""

    def of(self, item: ChecklistItem) -> ChecklistItem:
        checked = bool(item.checked) if self.checked is None else self.checked
        if not checked:
            return item.unticked()
        if item.checked and not self.says_who:
            return item
        return item.ticked(self.by or None)


async def tick(db: Database, shared: Shareable, item_id: str, wanted: Tick) -> ChecklistItem:
    """The list itself is not touched: two hundred may tick at once."""

    async def ticked(old: ChecklistItem) -> Outcome[ChecklistItem]:
        return wanted.of(old), ()

    key = ChecklistItem.key(short_id=shared.short_id, checklist_item_id=item_id)
    return await change(db, key, ticked)
