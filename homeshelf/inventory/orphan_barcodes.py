"""Repair of barcode claims whose item another program deleted."""

from contextlib import suppress

from homeshelf.inventory.barcodes import BarcodeClaim, barcode_claims
from homeshelf.inventory.batches import promised_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Check, Database, TransactionCancelled, absent, key_in


async def release_orphans(db: Database) -> tuple[str, str]:
    """Release orphaned claims. Scans the table: for commands only."""
    released = 0
    async for page in db.scan(BarcodeClaim.table):
        for stored in page.items:
            if BarcodeClaim.matches_key(key_in(BarcodeClaim.table, stored)):
                with suppress(TransactionCancelled, ValueError):  # it changed, or is no claim
                    released += await _release(db, BarcodeClaim.load(stored))
    if released:
        return "barcodes", _(
            "{freed} no longer belonged to an item and can be used again.", freed=released
        )
    return "barcodes", "each is a thing's."


async def _release(db: Database, claim: BarcodeClaim) -> bool:
    promised = await promised_items(db, claim.family_id)
    if promised is not None and claim.holder in promised.item_ids:
        return False
    key = InventoryItem.key(family_id=claim.family_id, item_id=claim.holder)
    item = await db.get(key)
    if item is not None and claim in barcode_claims(item):
        return False
    unchanged = Check(key, absent) if item is None else item.check(item.unchanged)
    await db.transact(claim.release(), unchanged)
    return True
