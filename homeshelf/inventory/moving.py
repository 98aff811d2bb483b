from collections.abc import Sequence
from datetime import datetime

from homeshelf import clock
from homeshelf.coordination.adopting import Adoption, Found, Made, taking
from homeshelf.coordination.belongings import Arrival
from homeshelf.coordination.todos import Todo
from homeshelf.inventory import notices
from homeshelf.inventory.barcodes import BarcodeClaim, claims_of, is_right
from homeshelf.inventory.model import MOST, InventoryItem, QuantityChange
from homeshelf.inventory.notice_texts import read_related
from homeshelf.notices.model import Notification, claim_on
from homeshelf.notices.moving import CLAIMS
from homeshelf.table import Database, Record, absent, attr

NOTICES = "notices of things that run low"
LOOKS = "dates on which to look at things again"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    items = arrival.of(InventoryItem)
    for item in items:
        if not (0 <= item.quantity <= MOST and 0 <= item.threshold <= MOST):
            raise ValueError("an item has a count that cannot be")
    claims = [claim for item in items for claim in claims_of(item)]
    at = datetime.fromisoformat(arrival.at)
    looks = [notices.look_todo(item, at) for item in items if notices.has_dates()]
    return [*items, *arrival.of(QuantityChange), *claims, *looks]


async def adopt(db: Database, found: Found) -> Adoption:
    items = sorted(found.of(InventoryItem), key=lambda item: (item.created_at, item.item_id))
    codes = [claim for item in items for claim in claims_of(item) if is_right(claim.code)]

    def taken(code: BarcodeClaim) -> str:
        return (
            f"Family {code.family_id} has two things with the barcode {code.code}: both keep it, "
            f"and scanning it does not find {code.holder}."
        )

    adoption = await taking(db, "barcodes", codes, taken)
    noticed = {(each.type, each.item_id) for each in found.of(Notification) if each.is_open}
    new: list[Notification] = []
    looks: list[Todo] = []
    now = clock.now()
    for kind in notices.KINDS:
        related = await read_related(db, kind, items)
        for item in items:
            reads = related[item.item_id]
            if kind.due(item, reads, now) and (kind.type, item.item_id) not in noticed:
                new.append(notices.notice_of(kind, item))
            if at := kind.next_look(item, reads, now):
                looks.append(notices.look_todo(item, at))
    needs = [*await _missing_notices(db, new), *await _missing_looks(db, looks)]
    return Adoption([*adoption.needs, *needs], adoption.remarks)


async def _missing_notices(db: Database, new: Sequence[Notification]) -> list[Sequence[Made]]:
    """Return each notice with its claim."""
    claims = [claim_on(it.type, it.family_id, it.item_id, it.notification_id) for it in new]
    there = await db.get_many([claim.own_key() for claim in claims])
    return [
        [
            (NOTICES, notice.put(absent)),
            (CLAIMS, claim.take() if held is None else claim.put(attr("holder") == held.holder)),
        ]
        for notice, claim, held in zip(new, claims, there, strict=True)
    ]


async def _missing_looks(db: Database, looks: Sequence[Todo]) -> list[Sequence[Made]]:
    there = await db.get_many([look.own_key() for look in looks])
    pairs = zip(looks, there, strict=True)
    return [[(LOOKS, look.put(absent))] for look, found in pairs if found is None]
