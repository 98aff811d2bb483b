"""From when on changes are read again: a slow commit may carry an older id."""

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
"""A clock that is set by more may take what is new out of what is read."""


class Lookback:
    """Where the last look was, by a clock that may be set meanwhile."""

    def __init__(self) -> None:
        self.looked_at = clock.now()
        self._passed = monotonic()
        self._earlier = self.looked_at
        """What the clock said before it was set on; what was on its way then has such an id."""
        self._earlier_until = 0.0
        self._lost_until = inf
        """When all has come that expired on its way."""

    def start(self, now: datetime) -> datetime:
        """Where to begin to read, `now` by the clock."""
        if monotonic() >= self._earlier_until:
            self._earlier = self.looked_at
        return min(self._earlier, self.looked_at, now) - OVERLAP

    def looked(self, now: datetime) -> bool:
        """All from the start until `now` has been read, as far as it could be.

        False where something may have expired before anybody read it, because the clock was set on
        by about as long as changes are kept; and once more for what was on its way then.
        """
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
