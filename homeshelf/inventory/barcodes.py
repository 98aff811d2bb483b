"""The barcodes of items, compared as EAN-13, because some scanners report UPC-A as such."""

from collections.abc import Iterable, Sequence

from homeshelf.coordination.claims import Claim, released
from homeshelf.coordination.transaction import find
from homeshelf.errors import Duplicate
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Keys, Write

DIGITS = "^([0-9]{8}|[0-9]{12,13})$"
LENGTHS = (8, 12, 13)


class BarcodeClaim(Claim):
    """One item of a family has a barcode, archived or not."""

    keys = Keys(PK="CLAIMS#{familyId}", SK="BARCODE#{code}")
    family_id: str
    code: str
    """As `compared`."""


def is_right(code: str) -> bool:
    """Whether these are the digits of a barcode with its check digit."""
    if len(code) not in LENGTHS or not (code.isascii() and code.isdigit()):
        return False
    digits = [int(digit) for digit in reversed(code)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def compared(code: str) -> str:
    """Return the EAN-13 of a UPC-A; EAN-8 has numbers of its own."""
    return f"0{code}" if len(code) == 12 else code


def each_code_once(codes: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for code in codes:
        found.setdefault(compared(code), code)
    return list(found.values())


async def item_with(db: Database, family_id: str, code: str) -> InventoryItem | None:
    if not is_right(code):
        return None
    claim = await db.get(BarcodeClaim.key(family_id=family_id, code=compared(code)))
    if claim is None:
        return None
    return await find(db, InventoryItem.key(family_id=family_id, item_id=claim.holder))


def take_barcodes(db: Database, new: InventoryItem) -> list[Write]:
    return [_taking(db, claim) for claim in claims_of(new)]


async def move_barcodes(db: Database, old: InventoryItem, new: InventoryItem) -> list[Write]:
    before, after = claims_of(old), claims_of(new)
    return [
        *(_taking(db, claim) for claim in after if claim not in before),
        *await released(db, *(claim for claim in before if claim not in after)),
    ]


def claims_of(item: InventoryItem) -> Sequence[BarcodeClaim]:
    return [
        BarcodeClaim(family_id=item.family_id, code=compared(code), holder=item.item_id)
        for code in item.barcodes
    ]


def _taking(db: Database, claim: BarcodeClaim) -> Write:
    """Refuse a code of another item; one that comes or goes at this moment is retried."""

    async def refuse(held: Item | None) -> None:
        if held is None:
            return
        item_id = str(held["holder"])
        if other := await db.get(InventoryItem.key(family_id=claim.family_id, item_id=item_id)):
            raise Duplicate(other, _("Another item already has this barcode."))

    return claim.take().refusing(refuse)
