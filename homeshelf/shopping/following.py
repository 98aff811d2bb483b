"""What happens to an item's entries when it is removed, and what its page shows of them."""

from collections.abc import Mapping
from typing import Any

from homeshelf import clock
from homeshelf.access import InFamily
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory.following import ItemFollower
from homeshelf.shopping.model import PendingEntries
from homeshelf.shopping.store import naming
from homeshelf.shopping.waiting import key_of_waiting, on_list, waiting_for
from homeshelf.table import Database, Key

AT_ONCE = 45
"""Each has a change record, and there is the claim: a transaction takes 100 writes."""


class EntriesFollowItem(ItemFollower):
    async def removed(self, db: Database, family_id: str, item_id: str, _by: str | None) -> None:
        await unlink(db, family_id, item_id)

    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        return {"entries": await db.count(naming(family_id, item_id))}

    async def shown(self, db: Database, member: InFamily, item_id: str) -> Mapping[str, Any]:
        return {"listed": bool(await on_list(db, member.family_id, [item_id]))}


async def unlink(db: Database, family_id: str, item_id: str) -> None:
    """Turn the entries of a deleted item into free text, some in each transaction. No new entry can
    name the item, so none is left when none is found."""
    while await _unlink_some(db, key_of_waiting(family_id, item_id), family_id, item_id):
        pass


@transaction
async def _unlink_some(
    tx: Transaction, _waiting: Key[PendingEntries], family_id: str, item_id: str
) -> bool:
    entries = await tx.db.all(naming(family_id, item_id).page(AT_ONCE))
    if not entries:
        return False
    for entry in entries:
        tx.replace(entry, entry.as_free_text(clock.after(entry.updated_at)))
    waiting = await waiting_for(tx.db, family_id, item_id)
    tx.write(waiting.removing(*(entry.shopping_item_id for entry in entries)))
    return True
