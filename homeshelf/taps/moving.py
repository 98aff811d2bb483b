from collections.abc import Sequence
from datetime import date

from homeshelf.coordination.belongings import Arrival
from homeshelf.table import Database, Record
from homeshelf.taps.model import NFCUrl, WeekOfTaps, is_url_id


async def move_in(db: Database, arrival: Arrival) -> Sequence[Record]:
    tags, weeks = arrival.of(NFCUrl), arrival.of(WeekOfTaps)
    if len({tag.url_id for tag in tags}) < len(tags):
        raise ValueError("two of its tags have the same address")
    for week in weeks:
        date.fromisoformat(week.week)
    for tag in tags:
        if not is_url_id(tag.url_id):
            raise ValueError("a tag has an address that none can have")
        found = await db.all(NFCUrl.where("GSI1", url_id=tag.url_id), skip=False)
        if any(each.own_key() != tag.own_key() for each in found):
            raise ValueError("a tag of another family here has the address of one of its tags")
    return [*weeks, *tags]
