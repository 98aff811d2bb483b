"""What happened to a count, as people say it, and when something runs out by how it went so far."""

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
    "created": _("Added to the stock"),
    "adjust": _("Counted"),
    "tap": _("At its tag"),
    "put_away": _("Bought and put away"),
    "undo": _("Taken back"),
}
SOMEBODY = _("Somebody")
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
    """About how many days it lasts, or None where the history is too short to say.

    What was used, over the time since the oldest change that is looked at: a household's week has
    its rhythm, so single days say little.
    """
    recent = [change for change in history if now - datetime.fromisoformat(change.at) <= LOOKED_AT]
    used = [-change.delta for change in recent if change.delta < 0 and change.source != "undo"]
    if len(used) < 2 or quantity == 0:
        return None
    span = now - min(datetime.fromisoformat(change.at) for change in recent)
    if span < TOO_SHORT:
        return None
    days = quantity * (span / timedelta(days=1)) / sum(used)
    return None if days > TOO_LONG_DAYS else max(1, round(days))
