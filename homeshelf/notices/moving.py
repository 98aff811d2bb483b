from collections.abc import Sequence

from homeshelf.coordination.adopting import Adoption, Found, Made
from homeshelf.coordination.belongings import Arrival
from homeshelf.notices.model import MAX_EXTRA_NOTICES, NoticeClaim, Notification
from homeshelf.table import Database, Key, Record, attr

CLAIMS = "open notices"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    notices = arrival.of(Notification)
    return [*notices, *(each.claim for each in notices if each.is_open)]


async def adopt(db: Database, found: Found) -> Adoption:
    """Claim open notices; duplicates of one item stay and are resolved together."""
    open_: dict[Key[NoticeClaim], list[Notification]] = {}
    for notice in sorted(found.of(Notification), key=lambda each: each.created_at):
        if notice.is_open:
            open_.setdefault(notice.claim.own_key(), []).append(notice)
    there = await db.get_many(list(open_))
    writes: list[Sequence[Made]] = []
    remarks = []
    for notices, held in zip(open_.values(), there, strict=True):
        claim = held or notices[0].claim
        claimed = {claim.holder, *claim.beside}
        others = [n.notification_id for n in notices if n.notification_id not in claimed]
        whole = claim.changed(beside=(*claim.beside, *others)[:MAX_EXTRA_NOTICES])
        if held is None:
            writes.append([(CLAIMS, whole.take())])
        elif whole != held:
            writes.append([(CLAIMS, whole.put(attr("holder") == held.holder))])
        if others:
            remarks.append(
                f"Family {notices[0].family_id} has {len(notices)} open notices about "
                f"{notices[0].item_name}: all stay, and end together."
            )
    return Adoption(writes, remarks)
