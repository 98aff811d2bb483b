"""The time and new ids; no other module reads the clock."""

import os
import re
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def nanoseconds() -> int:
    """Return Unix time, from which this module derives all other times."""
    return time.time_ns()


def now() -> datetime:
    return moment(nanoseconds())


def moment(nanoseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=nanoseconds // 1000)


def seconds() -> int:
    return nanoseconds() // 1_000_000_000


def timestamp(moment: datetime | None = None) -> str:
    """Return a time as `2025-01-15T10:00:00.000Z`, whose text order is time order."""
    if moment is None:
        second, rest = divmod(nanoseconds(), 1_000_000_000)
        return f"{_text_of(second)}.{rest // 1_000_000:03}Z"
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


@lru_cache(8)  # a busy household makes many changes in one second
def _text_of(second: int) -> str:
    return f"{moment(second * 1_000_000_000):%Y-%m-%dT%H:%M:%S}"


def timestamp_in_order(last: str = "") -> str:
    """Return the current time, but later than `last` and than the previous result.

    So changes within a millisecond, or across a small clock correction, have an order.
    """
    with _last_lock:
        milliseconds = nanoseconds() // 1_000_000
        if last:
            milliseconds = max(milliseconds, _milliseconds_of(last) + 1)
        if 0 <= _last_milliseconds[0] - milliseconds < AHEAD_AT_MOST:
            milliseconds = _last_milliseconds[0] + 1
        _last_milliseconds[0] = milliseconds
    return timestamp(moment(milliseconds * 1_000_000))


def _milliseconds_of(timestamp: str) -> int:
    return (datetime.fromisoformat(timestamp) - EPOCH) // timedelta(milliseconds=1)


def after(last: str) -> str:
    at = timestamp()
    return at if at > last else timestamp(moment((_milliseconds_of(last) + 1) * 1_000_000))


def zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def new_id() -> str:
    return str(uuid.uuid4())


def new_token() -> str:
    """Return a random text, without the cost of formatting a UUID."""
    return os.urandom(16).hex()


def ordered_id() -> str:
    """Return a UUID (v7), whose text order is the order of creation.

    The order is exact within a process, and to the millisecond between processes.
    """
    milliseconds = nanoseconds() // 1_000_000
    random = int.from_bytes(os.urandom(9))
    with _last_lock:
        made = milliseconds << 74 | random
        if 0 <= (_last[0] >> 74) - milliseconds < SET_BACK_AT_MOST:
            made = _last[0] + 1 + (random >> 40)
        _last[0] = made
    high, random = made >> 74, made & ((1 << 74) - 1)
    value = (high & ((1 << 48) - 1)) << 80 | 0x7 << 76
    value |= (random >> 62) << 64 | 0b10 << 62 | random & ((1 << 62) - 1)
    return str(uuid.UUID(int=value))


_last, _last_milliseconds, _last_lock = [0], [0], threading.Lock()
AHEAD_AT_MOST = 1000
"""The milliseconds by which timestamps in order may run ahead of the clock."""
SET_BACK_AT_MOST = 60_000
"""The milliseconds by which the clock may be set back while ids keep their order."""


def second_of(ordered_id: str) -> int:
    return int(ordered_id[:8] + ordered_id[9:13], 16) // 1000


def lowest_ordered_id(moment: datetime) -> str:
    """Return the prefix of ordered ids made at a moment; later ids are greater."""
    milliseconds = max(0, (moment - EPOCH) // timedelta(milliseconds=1))
    digits = f"{milliseconds:012x}"
    return f"{digits[:8]}-{digits[8:]}"


def moment_of(ordered_id: str) -> datetime:
    """Return when an ordered id, or a prefix of one, was made; ValueError for others."""
    if not _ORDERED.fullmatch(ordered_id):
        raise ValueError("no ordered id")
    try:
        return EPOCH + timedelta(milliseconds=int(ordered_id[:13].replace("-", ""), 16))
    except OverflowError:
        raise ValueError("of no year that there is") from None


_ORDERED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}(-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})?")
