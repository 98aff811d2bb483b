"""The claim that lists the pending entries of an item. It exists while an entry waits, so an
unforced addition requires it to be absent, which makes it the only one."""

from collections.abc import Iterable

from homeshelf.coordination.transaction import Transaction
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.table import Database, Key


def key_of_waiting(family_id: str, item_id: str) -> Key[PendingEntries]:
    return PendingEntries.key(family_id=family_id, item_id=item_id)


async def waiting_for(db: Database, family_id: str, item_id: str) -> PendingEntries:
    """The pending entries of an item."""
    found = await db.get(key_of_waiting(family_id, item_id))
    return found or PendingEntries(family_id=family_id, item_id=item_id)


async def on_list(db: Database, family_id: str, item_ids: Iterable[str]) -> set[str]:
    """Return which of the items are on the list."""
    found = await db.get_existing(key_of_waiting(family_id, item_id) for item_id in item_ids)
    return {waiting.item_id for waiting in found}


async def update_waiting(
    tx: Transaction, old: ShoppingListItem, new: ShoppingListItem | None
) -> None:
    """Write the claims of an entry's items when it changes or goes."""
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
    """Remove an entry from every claim, where its item is unknown."""
    found = await tx.db.all(PendingEntries.where(family_id=family_id).up_to_date())
    tx.write(*(each.removing(entry_id) for each in found if entry_id in each.members))
