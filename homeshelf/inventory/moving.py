from collections.abc import Sequence
from datetime import datetime

from homeshelf import clock
from homeshelf.coordination.adopting import Adoption, Found, Made, plan_claims
from homeshelf.coordination.belongings import Arrival
from homeshelf.coordination.todos import Todo
from homeshelf.inventory import notices
from homeshelf.inventory.barcodes import BarcodeClaim, barcode_claims, is_valid_barcode
from homeshelf.inventory.model import MAX_QUANTITY, InventoryItem, QuantityChange
from homeshelf.inventory.notice_texts import read_related
from homeshelf.notices.model import Notification, claim_on
from homeshelf.notices.moving import CLAIMS
from homeshelf.table import Database, Record, absent, attr

NOTICES = "notices of things that run low"
EVALUATIONS = "dates on which to look at things again"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    items = arrival.of(InventoryItem)
    for item in items:
        if not (0 <= item.quantity <= MAX_QUANTITY and 0 <= item.threshold <= MAX_QUANTITY):
            raise ValueError("an item has a count that cannot be")
    claims = [claim for item in items for claim in barcode_claims(item)]
    at = datetime.fromisoformat(arrival.at)
    todos = [notices.evaluation_todo(item, at) for item in items if notices.has_dated_kinds()]
    return [*items, *arrival.of(QuantityChange), *claims, *todos]


async def adopt(db: Database, found: Found) -> Adoption:
    items = sorted(found.of(InventoryItem), key=lambda item: (item.created_at, item.item_id))
    codes = [
        claim for item in items for claim in barcode_claims(item) if is_valid_barcode(claim.code)
    ]

    def duplicate_remark(code: BarcodeClaim) -> str:
        return (
            f"Family {code.family_id} has two things with the barcode {code.code}: both keep it, "
            f"and scanning it does not find {code.holder}."
        )

    adoption = await plan_claims(db, "barcodes", codes, duplicate_remark)
    noticed = {(each.type, each.item_id) for each in found.of(Notification) if each.is_open}
    new: list[Notification] = []
    todos: list[Todo] = []
    now = clock.now()
    for kind in notices.KINDS:
        related = await read_related(db, kind, items)
        for item in items:
            reads = related[item.item_id]
            if kind.due(item, reads, now) and (kind.type, item.item_id) not in noticed:
                new.append(notices.notice_of(kind, item))
            if at := kind.next_evaluation(item, reads, now):
                todos.append(notices.evaluation_todo(item, at))
    needs = [*await _missing_notices(db, new), *await _missing_todos(db, todos)]
    return Adoption([*adoption.needs, *needs], adoption.remarks)


async def _missing_notices(db: Database, new: Sequence[Notification]) -> list[Sequence[Made]]:
    claims = [claim_on(it.type, it.family_id, it.item_id, it.notification_id) for it in new]
    found = await db.get_many([claim.own_key() for claim in claims])
    return [
        [
            (NOTICES, notice.put(absent)),
            (CLAIMS, claim.take() if held is None else claim.put(attr("holder") == held.holder)),
        ]
        for notice, claim, held in zip(new, claims, found, strict=True)
    ]


async def _missing_todos(db: Database, todos: Sequence[Todo]) -> list[Sequence[Made]]:
    found = await db.get_many([todo.own_key() for todo in todos])
    pairs = zip(todos, found, strict=True)
    return [[(EVALUATIONS, todo.put(absent))] for todo, stored in pairs if stored is None]
