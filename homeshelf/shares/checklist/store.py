"""Read and change the items of a checklist; all changes but ticks raise the list's version."""

from collections.abc import Callable
from dataclasses import dataclass

from homeshelf import clock
from homeshelf.coordination.changes import change_write
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    existing,
    transaction,
)
from homeshelf.errors import LimitReached
from homeshelf.sentences import _
from homeshelf.shares.checklist.model import GAP, MAX_ITEMS, ChecklistItem, NewItem
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import get_list, load_list
from homeshelf.table import Database, Key, Query


@dataclass(frozen=True)
class Tick:
    checked: bool | None
    """None leaves the item ticked or unticked."""
    by: str | None = None
    has_name: bool = True

    def apply_to(self, item: ChecklistItem) -> ChecklistItem:
        checked = bool(item.checked) if self.checked is None else self.checked
        if not checked:
            return item.unticked()
        if item.checked and not self.has_name:
            return item
        return item.ticked(self.by or None)


def items_of(short_id: str) -> Query[ChecklistItem]:
    return ChecklistItem.where(short_id=short_id)


def item_key(short_id: str, item_id: str) -> Key[ChecklistItem]:
    return ChecklistItem.key(short_id=short_id, checklist_item_id=item_id)


async def get_item(db: Database, short_id: str, item_id: str) -> ChecklistItem:
    return await existing(db, item_key(short_id, item_id))


@transaction
async def add_item(tx: Transaction, key: Key[Shareable], item: NewItem) -> ChecklistItem:
    shared = await get_list(tx.db, key)
    items = (await load_list(tx.db, shared)).items
    if len(items) >= MAX_ITEMS:
        raise LimitReached(_("A list can have at most {most_items} items.", most_items=MAX_ITEMS))
    new = new_item(shared, item, items[-1].order + GAP if items else 0)
    tx.replace(shared, shared.with_next_version())
    tx.add(new)
    return new


@transaction
async def edit_item(
    tx: Transaction,
    key: Key[Shareable],
    item_id: str,
    rule: Callable[[ChecklistItem], ChecklistItem],
) -> ChecklistItem:
    """Change an item by a rule, which may also tick it, in one transaction."""
    shared = await get_list(tx.db, key)
    item = await get_item(tx.db, shared.short_id, item_id)
    edited = rule(item)
    if edited == item:
        return item
    tx.replace(shared, shared.with_next_version())
    tx.replace(item, edited)
    return edited


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def write_removal(tx: Transaction) -> None:
        shared = await get_list(db, key)
        tx.replace(shared, shared.with_next_version())
        tx.write(change_write(shared.bare_id, ChecklistItem.entity_type, item_id, None))

    short_id = Shareable.read_key(key)["shortId"]
    async with delete_if_unreadable(db, item_key(short_id, item_id), write_removal):
        await _remove_item(db, key, item_id)


@transaction
async def _remove_item(tx: Transaction, key: Key[Shareable], item_id: str) -> None:
    shared = await get_list(tx.db, key)
    item = await get_item(tx.db, shared.short_id, item_id)
    tx.replace(shared, shared.with_next_version())
    tx.remove(item)


@transaction
async def tick_item(tx: Transaction, key: Key[ChecklistItem], wanted: Tick) -> ChecklistItem:
    """Tick an item without changing its list, so that two hundred people can tick at once."""
    item = await tx.get(key)
    ticked = wanted.apply_to(item)
    tx.replace(item, ticked)
    return ticked


def new_item(shared: Shareable, item: NewItem, order: int) -> ChecklistItem:
    return ChecklistItem(
        short_id=shared.short_id,
        checklist_item_id=clock.new_id(),
        order=order,
        name=item.name,
        note=item.note or None,
        ttl=shared.ttl,
    )
