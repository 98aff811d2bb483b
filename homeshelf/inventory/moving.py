from collections.abc import Sequence

from homeshelf.inventory.barcodes import BarcodeClaim, claims_of, is_right
from homeshelf.inventory.model import MOST, InventoryItem, QuantityChange
from homeshelf.inventory.notices import KINDS, notice_of
from homeshelf.notices.model import Notification, claim_on
from homeshelf.notices.moving import CLAIMS
from homeshelf.table import Database, Record, absent, attr
from homeshelf.web.adopting import Adoption, Found, Made, taking
from homeshelf.web.belongings import Arrival

NOTICES = "notices of things that run low"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    items = arrival.of(InventoryItem)
    for item in items:
        if not (0 <= item.quantity <= MOST and 0 <= item.threshold <= MOST):
            raise ValueError("an item has a count that cannot be")
    claims = [claim for item in items for claim in claims_of(item)]
    return [*items, *arrival.of(QuantityChange), *claims]


async def adopt(db: Database, found: Found) -> Adoption:
    items = sorted(found.of(InventoryItem), key=lambda item: (item.created_at, item.item_id))
    codes = [claim for item in items for claim in claims_of(item) if is_right(claim.code)]

    def taken(code: BarcodeClaim) -> str:
        return (
            f"Family {code.family_id} has two things with the barcode {code.code}: both keep it, "
            f"and scanning it does not find {code.holder}."
        )

    adoption = await taking(db, "barcodes", codes, taken)
    notices = await _missing_notices(db, items, found.of(Notification))
    return Adoption([*adoption.needs, *notices], adoption.remarks)


async def _missing_notices(
    db: Database, items: Sequence[InventoryItem], notices: Sequence[Notification]
) -> list[Sequence[Made]]:
    """Return a notice with its claim for each item that needs one."""
    noticed = {(each.type, each.item_id) for each in notices if each.is_open}
    new = [
        notice_of(kind, item)
        for item in items
        for kind in KINDS
        if kind.is_called_for(item) and (kind.type, item.item_id) not in noticed
    ]
    claims = [claim_on(it.type, it.family_id, it.item_id, it.notification_id) for it in new]
    there = await db.get_many([claim.own_key() for claim in claims])
    return [
        [
            (NOTICES, notice.put(absent)),
            (CLAIMS, claim.take() if held is None else claim.put(attr("holder") == held.holder)),
        ]
        for notice, claim, held in zip(new, claims, there, strict=True)
    ]
