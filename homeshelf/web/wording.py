"""Words for values: relative times, dates, counts and initials."""

import unicodedata
import zlib
from datetime import UTC, date, datetime, tzinfo

from homeshelf import clock
from homeshelf.languages.formats import formats
from homeshelf.sentences import _

COUNTED = 100
"""The number from which pages show `99+`."""


def ago(timestamp: str, now: datetime | None = None, zone: tzinfo = UTC) -> str:
    """Return `just now`, `5 minutes ago`, `yesterday`, or a date."""
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
    """Return a date such as `3 May 2026`."""
    return formats().day(datetime.fromisoformat(moment) if isinstance(moment, str) else moment)


def capped_count(count: int) -> str:
    return str(count) if count < COUNTED else f"{COUNTED - 1}+"


def initials(name: str) -> str:
    """Return one or two letters that stand for a person."""
    parts = name.split()
    letters = parts[0][:1] + (parts[-1][:1] if len(parts) > 1 else "") if parts else "?"
    return letters.upper()


def letter(name: str) -> str:
    """Return the letter for an item: `2` for `2 % milk`, `Ä` for a quoted “Ärger”."""
    signs = unicodedata.normalize("NFC", name)
    return next(filter(str.isalnum, signs), signs[:1]).upper()[:1]


def hue(name: str) -> int:
    """Return the number of a name's colour, 0 to 5."""
    return zlib.crc32(name.encode()) % 6
