"""Which entries wait for an item: one claim that changes with every one of them.

It is there while an entry waits, so it answers whether the item is on the list, and an addition
that requires it absent is the only one, also when others come at the same time.
"""

from collections.abc import Iterable

from homeshelf.coordination.transaction import Transaction
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.table import Database, Key


def key_of_waiting(family_id: str, item_id: str) -> Key[PendingEntries]:
    return PendingEntries.key(family_id=family_id, item_id=item_id)


async def waiting_for(db: Database, family_id: str, item_id: str) -> PendingEntries:
    """The entries of an item that wait to be bought."""
    found = await db.get(key_of_waiting(family_id, item_id))
    return found or PendingEntries(family_id=family_id, item_id=item_id)


async def on_list(db: Database, family_id: str, item_ids: Iterable[str]) -> set[str]:
    """Those of the items that wait to be bought already."""
    found = await db.get_existing(key_of_waiting(family_id, item_id) for item_id in item_ids)
    return {waiting.item_id for waiting in found}


async def update_waiting(
    tx: Transaction, old: ShoppingListItem, new: ShoppingListItem | None
) -> None:
    """Write which entries wait for an item, when one of them changes or goes."""
    before, after = old.waits_for, new and new.waits_for
    if before == after:
        return
    if before:
        waiting = await waiting_for(tx.db, old.family_id, before)
        tx.write(waiting.removing(old.shopping_item_id))
    if new and after:
        waiting = await waiting_for(tx.db, new.family_id, after)
        tx.write(waiting.adding(new.shopping_item_id))


async def stop_waiting(tx: Transaction, family_id: str, entry_id: str) -> None:
    """Take an entry out of every claim: which item it is of is not known."""
    found = await tx.db.all(PendingEntries.where(family_id=family_id).up_to_date())
    tx.write(*(each.removing(entry_id) for each in found if entry_id in each.members))
