"""From when on changes are read again: a slow commit may carry an older id."""

from datetime import datetime, timedelta
from time import monotonic

from homeshelf import clock
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS, OVERLAP_SECONDS

OVERLAP = timedelta(seconds=OVERLAP_SECONDS)
CLOCKS_DIFFER = timedelta(seconds=CLOCKS_DIFFER_SECONDS)


class Lookback:
    """Where the last look was, by a clock that may be set meanwhile."""

    def __init__(self) -> None:
        self.looked_at = clock.now()
        self._passed = monotonic()
        self._earlier = self.looked_at
        """What the clock said before it was set on; what was on its way then has such an id."""
        self._earlier_until = 0.0

    def start(self, now: datetime) -> datetime:
        """Where to begin to read, `now` by the clock."""
        if monotonic() >= self._earlier_until:
            self._earlier = self.looked_at
        return min(self._earlier, self.looked_at, now) - OVERLAP

    def looked(self, now: datetime) -> None:
        """All from the start until `now` has been read, as far as it could be."""
        passed = monotonic()
        since = timedelta(seconds=passed - self._passed)
        if now - self.looked_at > since + CLOCKS_DIFFER:
            self._earlier = min(self._earlier, self.looked_at)
            self._earlier_until = passed + OVERLAP_SECONDS
        self.looked_at, self._passed = now, passed
