"""Notices that the clock of this machine was set while the process runs."""

from time import monotonic

from homeshelf import clock
from homeshelf.table.deadlines import OVERLAP_SECONDS


class ClockJumps:
    """Asks for two looks at the table after each jump of the clock.

    One is due at once, the other when all writes that were on their way have arrived.
    """

    def __init__(self, seconds: float, *, back_only: bool = False) -> None:
        """Smaller jumps than `seconds` are ignored, and with `back_only` those forward too."""
        self._seconds = seconds
        self._back_only = back_only
        self._ahead = _seconds_ahead()
        self._looks_at: list[float] = []

    def watch(self) -> None:
        """Compare the clock with the time that has passed since it was last compared."""
        before, self._ahead = self._ahead, _seconds_ahead()
        jump = self._ahead - before
        if jump < -self._seconds or (jump > self._seconds and not self._back_only):
            now = monotonic()
            self._looks_at = [now, now + OVERLAP_SECONDS]

    def ask_for_a_look(self) -> bool:
        self.watch()
        now, looks_at = monotonic(), self._looks_at
        self._looks_at = [at for at in looks_at if at > now]
        return self._looks_at != looks_at


def _seconds_ahead() -> float:
    """How far the clock is ahead of the monotonic time, which is never set."""
    return clock.nanoseconds() / 1e9 - monotonic()
