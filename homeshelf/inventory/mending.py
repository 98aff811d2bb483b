"""Barcodes that no item has any more are freed, where something else than this program took the
items away: they would be nobody's for ever."""

from contextlib import suppress

from homeshelf.inventory.barcodes import BarcodeClaim, claims_of
from homeshelf.inventory.batches import promised_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Check, Database, TransactionCancelled, absent, key_in


async def mend(db: Database) -> tuple[str, str]:
    if freed := await free_barcodes(db):
        return "barcodes", _("{freed} were no thing's, and are free.", freed=freed)
    return "barcodes", "each is a thing's."


async def free_barcodes(db: Database) -> int:
    """Returns how many. Reads the whole table: it is for checks, never for a request."""
    freed = 0
    async for page in db.scan(BarcodeClaim.table):
        for stored in page.items:
            if BarcodeClaim.stands_at(key_in(BarcodeClaim.table, stored)):
                with suppress(TransactionCancelled, ValueError):  # it changed just now, or is none
                    freed += await _free(db, BarcodeClaim.load(stored))
    return freed


async def _free(db: Database, claim: BarcodeClaim) -> bool:
    """Whether nobody had it. What is promised is read first: what was, is there by now."""
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
