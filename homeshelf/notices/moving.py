from collections.abc import Sequence

from homeshelf.notices.model import Notification, claim_on
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """With what keeps a second notice of the same from being opened."""
    notices = arrival.of(Notification)
    return [
        *notices,
        *(
            claim_on(each.type, each.family_id, each.item_id, each.notification_id)
            for each in notices
            if each.is_open
        ),
    ]
