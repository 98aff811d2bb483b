"""Ticking an item, which everybody who sees the list may do.

tick(db, shared, item_id, Tick(checked, by), also)
"""

from dataclasses import dataclass

from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.shares.changing import item_update
from homeshelf.shares.model import ChecklistItem, Shareable
from homeshelf.shares.store import current_item, told_item
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


async def tick(
    db: Database, shared: Shareable, item_id: str, wanted: Tick, also: Also = nothing_else
) -> ChecklistItem:
    """The list itself is not touched: two hundred may tick at once."""
    key = ChecklistItem.key(short_id=shared.short_id, checklist_item_id=item_id)

    async def attempt() -> ChecklistItem:
        old = await current_item(db, shared.short_id, item_id)
        new = wanted.of(old)
        if new == old:
            await db.transact(*also(old))
            return old
        await db.transact(item_update(old, new), told_item(shared, item_id), *also(new))
        return new

    return await db.settle(key, attempt)
