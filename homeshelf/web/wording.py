"""How things are said: relative times, counts with their unit, the names of places."""

import unicodedata
import zlib
from datetime import UTC, date, datetime, tzinfo

from homeshelf import clock
from homeshelf.languages.formats import formats
from homeshelf.sentences import _

COUNTED = 100
"""How far what waits is counted for a page: nobody reads more than `99+`."""


def ago(timestamp: str, now: datetime | None = None, zone: tzinfo = UTC) -> str:
    """`just now`, `5 minutes ago`, `yesterday`, and the date there once that says more."""
    then = datetime.fromisoformat(timestamp).astimezone(UTC)
    seconds = ((now or clock.now()) - then).total_seconds()
    if seconds < 60:
        return _("just now")
    if seconds < 3600:
        return formats().ago(int(seconds // 60), "minute")
    if seconds < 24 * 3600:
        return formats().ago(int(seconds // 3600), "hour")
    days = int(seconds // (24 * 3600))
    if days == 1:
        return _("yesterday")
    if days < 7:
        return formats().ago(days, "day")
    return day(then.astimezone(zone))


def day(moment: str | date) -> str:
    """`3 May 2026`"""
    return formats().day(datetime.fromisoformat(moment) if isinstance(moment, str) else moment)


def waiting(count: int) -> str:
    """`3`, `99+`: of what is counted only so far."""
    return str(count) if count < COUNTED else f"{COUNTED - 1}+"


def initials(name: str) -> str:
    """One or two letters that stand for a person."""
    parts = name.split()
    letters = parts[0][:1] + (parts[-1][:1] if len(parts) > 1 else "") if parts else "?"
    return letters.upper()


def letter(name: str) -> str:
    """The one that stands for a thing: `2 % milk` is `2`, and “Ärger” in quotes is `Ä`."""
    signs = unicodedata.normalize("NFC", name)
    return next(filter(str.isalnum, signs), signs[:1]).upper()[:1]


def hue(name: str) -> int:
    """A colour, 0 to 5, that stays with a name."""
    return zlib.crc32(name.encode()) % 6
