"""The quantity history of an item as text, and a forecast from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from homeshelf.families.model import Member
from homeshelf.inventory.model import QuantityChange, Source
from homeshelf.sentences import _
from homeshelf.table import Database

FORECAST_WINDOW = timedelta(days=60)
MIN_SPAN = timedelta(days=2)
MAX_DAYS = 365
SOURCE_TEXTS: dict[Source, str] = {
    "created": _("Added to stock"),
    "adjust": _("Counted"),
    "tap": _("By tag"),
    "put_away": _("Bought and put away"),
    "undo": _("Undone"),
}
UNKNOWN_PERSON = _("Someone")
"""The author of a tap, which is anonymous."""


@dataclass(frozen=True)
class DescribedChange:
    change: QuantityChange
    author: str
    source: str


async def describe_changes(
    db: Database, family_id: str, changes: Sequence[QuantityChange]
) -> list[DescribedChange]:
    """Describe each change with its author's name, even if the author has left."""
    people = await db.get_existing(
        Member.key(family_id=family_id, member_id=change.by)
        for change in changes
        if change.by is not None
    )
    names = {member.member_id: member.name for member in people}
    return [
        DescribedChange(
            change, names.get(change.by or "", UNKNOWN_PERSON), SOURCE_TEXTS[change.source]
        )
        for change in changes
    ]


def days_left(history: Sequence[QuantityChange], quantity: int, now: datetime) -> int | None:
    recent = [
        change for change in history if now - datetime.fromisoformat(change.at) <= FORECAST_WINDOW
    ]
    used = [-change.delta for change in recent if change.delta < 0 and change.source != "undo"]
    if len(used) < 2 or quantity == 0:
        return None
    span = now - min(datetime.fromisoformat(change.at) for change in recent)
    if span < MIN_SPAN:
        return None
    days = quantity * (span / timedelta(days=1)) / sum(used)
    return None if days > MAX_DAYS else max(1, round(days))
