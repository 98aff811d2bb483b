"""Decide from when on changes are read again: a slow commit may carry an older id."""

from datetime import datetime, timedelta
from math import inf
from time import monotonic

from homeshelf import clock
from homeshelf.coordination.changes import AHEAD_SECONDS, KEPT_SECONDS
from homeshelf.table.deadlines import (
    ACKNOWLEDGED_SECONDS,
    CLOCKS_DIFFER_SECONDS,
    OVERLAP_SECONDS,
)

OVERLAP = timedelta(seconds=OVERLAP_SECONDS)
CLOCKS_DIFFER = timedelta(seconds=CLOCKS_DIFFER_SECONDS)
KEPT = timedelta(seconds=KEPT_SECONDS)
FAR_SECONDS = AHEAD_SECONDS - CLOCKS_DIFFER_SECONDS
"""A clock set by more than this may hide new changes from the next reading."""


class Lookback:
    """Remembers the last reading, by a clock that may be set meanwhile."""

    def __init__(self) -> None:
        self.looked_at = clock.now()
        self._passed = monotonic()
        self._earlier = self.looked_at
        """The time before the clock was set forward; changes in flight then have such ids."""
        self._earlier_until = 0.0
        self._lost_until = inf
        """When all changes in flight that expired have arrived."""

    def start(self, now: datetime) -> datetime:
        if monotonic() >= self._earlier_until:
            self._earlier = self.looked_at
        return min(self._earlier, self.looked_at, now) - OVERLAP

    def looked(self, now: datetime) -> bool:
        """Note a reading until `now`. Return False if a change may have expired unread because the
        clock was set forward by about as long as changes are kept, and once more for those in
        flight then."""
        passed = monotonic()
        is_whole = passed < self._lost_until
        if not is_whole:
            self._lost_until = inf
        since = timedelta(seconds=passed - self._passed)
        if now - self.looked_at > since + CLOCKS_DIFFER:
            self._earlier = min(self._earlier, self.looked_at)
            self._earlier_until = passed + OVERLAP_SECONDS
            if now - self.looked_at >= KEPT - OVERLAP:
                is_whole, self._lost_until = False, passed + ACKNOWLEDGED_SECONDS
        self.looked_at, self._passed = now, passed
        return is_whole
