from collections.abc import Sequence

from homeshelf.coordination.adopting import Adoption, Found, Made
from homeshelf.coordination.belongings import Arrival
from homeshelf.notices.model import MOST_BESIDE, NoticeClaim, Notification, claim_on
from homeshelf.table import Database, Key, Record, attr

CLAIMS = "open notices"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """Add the claims of open notices."""
    notices = arrival.of(Notification)
    return [*notices, *(_claim(each) for each in notices if each.is_open)]


async def adopt(db: Database, found: Found) -> Adoption:
    """Claim the open notices; of several about one thing all stay, and end together."""
    open_: dict[Key[NoticeClaim], list[Notification]] = {}
    for notice in sorted(found.of(Notification), key=lambda each: each.created_at):
        if notice.is_open:
            open_.setdefault(_claim(notice).own_key(), []).append(notice)
    there = await db.get_many(list(open_))
    needs: list[Sequence[Made]] = []
    remarks = []
    for notices, held in zip(open_.values(), there, strict=True):
        claim = held or _claim(notices[0])
        known = {claim.holder, *claim.beside}
        others = [n.notification_id for n in notices if n.notification_id not in known]
        whole = claim.changed(beside=(*claim.beside, *others)[:MOST_BESIDE])
        if held is None:
            needs.append([(CLAIMS, whole.take())])
        elif whole != held:
            needs.append([(CLAIMS, whole.put(attr("holder") == held.holder))])
        if others:
            remarks.append(
                f"Family {notices[0].family_id} has {len(notices)} open notices about "
                f"{notices[0].item_name}: all stay, and end together."
            )
    return Adoption(needs, remarks)


def _claim(notice: Notification) -> NoticeClaim:
    return claim_on(notice.type, notice.family_id, notice.item_id, notice.notification_id)
