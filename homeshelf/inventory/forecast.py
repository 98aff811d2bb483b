"""When something runs out, from how it went so far."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from homeshelf.inventory.model import QuantityChange

LOOKED_AT = timedelta(days=60)
TOO_SHORT = timedelta(days=2)
TOO_LONG_DAYS = 365


def days_left(history: Sequence[QuantityChange], quantity: int, now: datetime) -> int | None:
    """About how many days it lasts, or None where the history is too short to say.

    What was used, over the time since the oldest change that is looked at: a household's week has
    its rhythm, so single days say little.
    """
    recent = [change for change in history if now - moment(change.at) <= LOOKED_AT]
    used = [-change.delta for change in recent if change.delta < 0 and change.source != "undo"]
    if len(used) < 2 or quantity == 0:
        return None
    span = now - min(moment(change.at) for change in recent)
    if span < TOO_SHORT:
        return None
    days = quantity * (span / timedelta(days=1)) / sum(used)
    return None if days > TOO_LONG_DAYS else max(1, round(days))


def moment(timestamp: str) -> datetime:
    return datetime.fromisoformat(timestamp).astimezone(UTC)
