"""Barcodes of items, compared as EAN-13 because some scanners report UPC-A that way."""

from collections.abc import Iterable, Sequence

from homeshelf.coordination.claims import Claim, release_writes
from homeshelf.coordination.transaction import find
from homeshelf.errors import Duplicate
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Keys, Write

BARCODE_PATTERN = "^([0-9]{8}|[0-9]{12,13})$"
LENGTHS = (8, 12, 13)


class BarcodeClaim(Claim):
    """The claim that gives a barcode to one item of a family, archived or not."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="BARCODE#{code}")
    family_id: str
    code: str


def is_valid_barcode(code: str) -> bool:
    if len(code) not in LENGTHS or not (code.isascii() and code.isdigit()):
        return False
    digits = [int(digit) for digit in reversed(code)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def to_ean13(code: str) -> str:
    """Return the EAN-13 of a UPC-A code, and any other code unchanged."""
    return f"0{code}" if len(code) == 12 else code


def unique_codes(codes: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for code in codes:
        found.setdefault(to_ean13(code), code)
    return list(found.values())


async def find_by_barcode(db: Database, family_id: str, code: str) -> InventoryItem | None:
    if not is_valid_barcode(code):
        return None
    claim = await db.get(BarcodeClaim.key(family_id=family_id, code=to_ean13(code)))
    if claim is None:
        return None
    return await find(db, InventoryItem.key(family_id=family_id, item_id=claim.holder))


def claim_barcodes(db: Database, new: InventoryItem) -> list[Write]:
    return [_claim_write(db, claim) for claim in barcode_claims(new)]


async def update_barcode_claims(
    db: Database, old: InventoryItem, new: InventoryItem
) -> list[Write]:
    before, after = barcode_claims(old), barcode_claims(new)
    return [
        *(_claim_write(db, claim) for claim in after if claim not in before),
        *await release_writes(db, *(claim for claim in before if claim not in after)),
    ]


def barcode_claims(item: InventoryItem) -> Sequence[BarcodeClaim]:
    return [
        BarcodeClaim(family_id=item.family_id, code=to_ean13(code), holder=item.item_id)
        for code in item.barcodes
    ]


def _claim_write(db: Database, claim: BarcodeClaim) -> Write:
    """Refuse a code of another item; a claim that changes concurrently is retried."""

    async def refuse(held: Item | None) -> None:
        if held is None:
            return
        item_id = str(held["holder"])
        if other := await db.get(InventoryItem.key(family_id=claim.family_id, item_id=item_id)):
            raise Duplicate(other, _("Another item already has this barcode."))

    return claim.take().with_refusal(refuse)
