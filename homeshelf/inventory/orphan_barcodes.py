"""Claims of barcodes that no item has, because another program deleted items."""

from contextlib import suppress

from homeshelf.inventory.barcodes import BarcodeClaim, claims_of
from homeshelf.inventory.batches import promised_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Check, Database, TransactionCancelled, absent, key_in


async def mend(db: Database) -> tuple[str, str]:
    """Release orphaned claims. Scans the table: for commands only."""
    freed = 0
    async for page in db.scan(BarcodeClaim.table):
        for stored in page.items:
            if BarcodeClaim.stands_at(key_in(BarcodeClaim.table, stored)):
                with suppress(TransactionCancelled, ValueError):  # it changed just now, or is none
                    freed += await _free(db, BarcodeClaim.load(stored))
    if freed:
        return "barcodes", _(
            "{freed} no longer belonged to an item and can be used again.", freed=freed
        )
    return "barcodes", "each is a thing's."


async def _free(db: Database, claim: BarcodeClaim) -> bool:
    """Release an orphaned claim. Promises are read first: an item that leaves them exists."""
    promised = await promised_items(db, claim.family_id)
    if promised is not None and claim.holder in promised.item_ids:
        return False
    key = InventoryItem.key(family_id=claim.family_id, item_id=claim.holder)
    item = await db.get(key)
    if item is not None and claim in claims_of(item):
        return False
    as_it_is = Check(key, absent) if item is None else item.check(item.unchanged)
    await db.transact(claim.release(), as_it_is)
    return True
