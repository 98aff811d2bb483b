"""What happened to a count, as people say it: who did it, and how."""

from collections.abc import Sequence
from dataclasses import dataclass

from homeshelf.families.model import Member
from homeshelf.inventory.model import QuantityChange, Source
from homeshelf.table import Database

HOW: dict[Source, str] = {
    "created": "Added to the stock",
    "adjust": "Counted",
    "tap": "At its tag",
    "put_away": "Put away",
    "undo": "Taken back",
}
SOMEBODY = "Somebody"
"""At a tag nobody says who they are."""


@dataclass(frozen=True)
class Happened:
    change: QuantityChange
    who: str
    how: str


async def happened(
    db: Database, family_id: str, changes: Sequence[QuantityChange]
) -> list[Happened]:
    """Each with the name of who made it, also of who has left since."""
    people = dict.fromkeys(change.by for change in changes if change.by is not None)
    keys = [Member.key(family_id=family_id, member_id=each) for each in people]
    found = await db.get_many(keys, skip=True)
    names = {member.member_id: member.name for member in found if member is not None}
    return [
        Happened(change, names.get(change.by or "", SOMEBODY), HOW[change.source])
        for change in changes
    ]
