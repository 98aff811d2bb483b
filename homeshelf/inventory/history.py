"""The history of a quantity in words, and a forecast from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from homeshelf.families.model import Member
from homeshelf.inventory.model import QuantityChange, Source
from homeshelf.sentences import _
from homeshelf.table import Database

LOOKED_AT = timedelta(days=60)
TOO_SHORT = timedelta(days=2)
TOO_LONG_DAYS = 365
HOW: dict[Source, str] = {
    "created": _("Added to stock"),
    "adjust": _("Counted"),
    "tap": _("By tag"),
    "put_away": _("Bought and put away"),
    "undo": _("Undone"),
}
SOMEBODY = _("Someone")
"""A tag does not know who uses it."""


@dataclass(frozen=True)
class Happened:
    change: QuantityChange
    who: str
    how: str


async def happened(
    db: Database, family_id: str, changes: Sequence[QuantityChange]
) -> list[Happened]:
    """Name who made each change, also those who have left since."""
    people = await db.get_existing(
        Member.key(family_id=family_id, member_id=change.by)
        for change in changes
        if change.by is not None
    )
    names = {member.member_id: member.name for member in people}
    return [
        Happened(change, names.get(change.by or "", SOMEBODY), HOW[change.source])
        for change in changes
    ]


def days_left(history: Sequence[QuantityChange], quantity: int, now: datetime) -> int | None:
    recent = [change for change in history if now - datetime.fromisoformat(change.at) <= LOOKED_AT]
    used = [-change.delta for change in recent if change.delta < 0 and change.source != "undo"]
    if len(used) < 2 or quantity == 0:
        return None
    span = now - min(datetime.fromisoformat(change.at) for change in recent)
    if span < TOO_SHORT:
        return None
    days = quantity * (span / timedelta(days=1)) / sum(used)
    return None if days > TOO_LONG_DAYS else max(1, round(days))
