from collections.abc import Sequence

from homeshelf.inventory.barcodes import BarcodeClaim, claims_of, is_right
from homeshelf.inventory.model import MOST, InventoryItem, QuantityChange
from homeshelf.inventory.notices import KINDS
from homeshelf.notices.model import Notification
from homeshelf.table import Database, Record
from homeshelf.web.adopting import Adoption, Found, taking
from homeshelf.web.belongings import Arrival

UNNOTICED = (
    "Some things run low without a notice: they get one when there was enough of them again."
)


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """With the barcodes, of which each is one thing's."""
    items = arrival.of(InventoryItem)
    for item in items:
        if not (0 <= item.quantity <= MOST and 0 <= item.threshold <= MOST):
            raise ValueError("an item has a count that cannot be")
    claims = [claim for item in items for claim in claims_of(item)]
    return [*items, *arrival.of(QuantityChange), *claims]


async def adopt(db: Database, found: Found) -> Adoption:
    """The barcodes of each thing; of two that have the same, both keep it."""
    items = sorted(found.of(InventoryItem), key=lambda item: (item.created_at, item.item_id))
    codes = [claim for item in items for claim in claims_of(item) if is_right(claim.code)]

    def taken(code: BarcodeClaim) -> str:
        return (
            f"Family {code.family_id} has two things with the barcode {code.code}: both keep it, "
            f"and scanning it does not find {code.holder}."
        )

    adoption = await taking(db, "barcodes", codes, taken)
    noticed = {each.item_id for each in found.of(Notification) if each.is_open}
    low = (item for item in items if any(kind.is_called_for(item) for kind in KINDS))
    unnoticed = any(item.item_id not in noticed for item in low)
    return Adoption(adoption.needs, [*adoption.remarks, *([UNNOTICED] if unnoticed else [])])
