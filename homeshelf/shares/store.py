"""Shared lists in the table, as they are asked for.

    shareable(db, short_id)     the list, if it is there and to be seen
    items_of(short_id)          its items, in no promised order
    opened(db, shared)          the list with its items in their order

What changes them is in `creating.py`, `changing.py`, `ticking.py`, `ordering.py` and
`removing.py`; who kept them in `keeping.py`. None of those decide who may: `access.py` does.
"""

from dataclasses import dataclass

from homeshelf.coordination.changing import existing
from homeshelf.errors import NotFound
from homeshelf.shares.model import ChecklistItem, Shareable, in_order
from homeshelf.table import Database, Key, Query


@dataclass(frozen=True)
class OpenList:
    """A list with its items, in their order."""

    shared: Shareable
    items: tuple[ChecklistItem, ...]


async def shareable(db: Database, short_id: str) -> Shareable | None:
    """One that is still being made is not there yet, and one that was purged never was."""
    found = await db.get(Shareable.key(short_id=short_id))
    return None if found is None or found.hidden or found.is_purged() else found


def items_of(short_id: str) -> Query[ChecklistItem]:
    return ChecklistItem.where(short_id=short_id)


async def opened(db: Database, shared: Shareable) -> OpenList:
    items = await db.all(items_of(shared.short_id).up_to_date())
    return OpenList(shared, tuple(in_order(items)))


async def current(db: Database, key: Key[Shareable]) -> Shareable:
    """The list as it is now, or NotFound."""
    shared = await existing(db, key)
    if shared.hidden or shared.is_purged():
        raise NotFound
    return shared


async def current_item(db: Database, short_id: str, item_id: str) -> ChecklistItem:
    return await existing(db, ChecklistItem.key(short_id=short_id, checklist_item_id=item_id))
