"""Detection of changes to this machine's clock."""

from time import monotonic

from homeshelf import clock
from homeshelf.table.deadlines import OVERLAP_SECONDS


class ClockJumps:
    """Requests a read of the table after a clock jump, and another one after pending writes."""

    def __init__(self, seconds: float, *, back_only: bool = False) -> None:
        """Ignore jumps of less than `seconds`; with `back_only`, also all forward ones."""
        self._seconds = seconds
        self._back_only = back_only
        self._ahead = _seconds_ahead()
        self._looks_at: list[float] = []

    def watch(self) -> None:
        before, self._ahead = self._ahead, _seconds_ahead()
        jump = self._ahead - before
        if jump < -self._seconds or (jump > self._seconds and not self._back_only):
            now = monotonic()
            self._looks_at = [now, now + OVERLAP_SECONDS]

    def take_due_look(self) -> bool:
        self.watch()
        now, looks_at = monotonic(), self._looks_at
        self._looks_at = [at for at in looks_at if at > now]
        return self._looks_at != looks_at


def _seconds_ahead() -> float:
    return clock.nanoseconds() / 1e9 - monotonic()
