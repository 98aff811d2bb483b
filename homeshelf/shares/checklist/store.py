"""Reads and changes of the items of a checklist; `shares/access.py` decides who may.

Each change but ticking raises the list's version, so that changes at once see each other: no item
is added beyond the most that a list may have, or to a list that was deleted meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    existing,
    transaction,
)
from homeshelf.errors import TooMany
from homeshelf.sentences import _
from homeshelf.shares.checklist.model import GAP, MOST_ITEMS, ChecklistItem, NewItem
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import current, opened
from homeshelf.table import Database, Key, Query


@dataclass(frozen=True)
class Tick:
    checked: bool | None
    """None leaves it as it is."""
    by: str | None = None
    """The name that the person typed."""
    says_who: bool = True
    """Whether the request has a `by`."""

    def of(self, item: ChecklistItem) -> ChecklistItem:
        checked = bool(item.checked) if self.checked is None else self.checked
        if not checked:
            return item.unticked()
        if item.checked and not self.says_who:
            return item
        return item.ticked(self.by or None)


def items_of(short_id: str) -> Query[ChecklistItem]:
    return ChecklistItem.where(short_id=short_id)


async def current_item(db: Database, short_id: str, item_id: str) -> ChecklistItem:
    return await existing(db, ChecklistItem.key(short_id=short_id, checklist_item_id=item_id))


@transaction
async def add_item(tx: Transaction, key: Key[Shareable], item: NewItem) -> ChecklistItem:
    shared = await current(tx.db, key)
    items = (await opened(tx.db, shared)).items
    if len(items) >= MOST_ITEMS:
        raise TooMany(_("A list has at most {most_items} items.", most_items=MOST_ITEMS))
    new = new_item(shared, item, items[-1].order + GAP if items else 0)
    tx.replace(shared, shared.revised())
    tx.add(new)
    return new


@transaction
async def edit_item(
    tx: Transaction,
    key: Key[Shareable],
    item_id: str,
    rule: Callable[[ChecklistItem], ChecklistItem],
) -> ChecklistItem:
    """Change an item by a rule, which may tick it too: both changes are made, or neither."""
    shared = await current(tx.db, key)
    item = await current_item(tx.db, shared.short_id, item_id)
    edited = rule(item)
    if edited == item:
        return item
    tx.replace(shared, shared.revised())
    tx.replace(item, edited)
    return edited


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def leftovers(tx: Transaction) -> None:
        shared = await current(db, key)
        tx.replace(shared, shared.revised())
        tx.write(note_change(shared.bare_id, ChecklistItem.entity_type, item_id, None))

    short_id = Shareable.read_key(key)["shortId"]
    item_key = ChecklistItem.key(short_id=short_id, checklist_item_id=item_id)
    async with delete_if_unreadable(db, item_key, leftovers):
        await _remove_item(db, key, item_id)


@transaction
async def _remove_item(tx: Transaction, key: Key[Shareable], item_id: str) -> None:
    shared = await current(tx.db, key)
    item = await current_item(tx.db, shared.short_id, item_id)
    tx.replace(shared, shared.revised())
    tx.remove(item)


async def tick(db: Database, shared: Shareable, item_id: str, wanted: Tick) -> ChecklistItem:
    """Tick an item without changing its list, so that two hundred people can tick at once."""
    key = ChecklistItem.key(short_id=shared.short_id, checklist_item_id=item_id)
    return await _tick(db, key, wanted)


@transaction
async def _tick(tx: Transaction, key: Key[ChecklistItem], wanted: Tick) -> ChecklistItem:
    item = await tx.get(key)
    ticked = wanted.of(item)
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
