"""When a worker turns to which shard next."""

from datetime import datetime
from time import monotonic

from homeshelf import clock

NOW = ""
"""Due whatever the time is: it sorts before all times."""


class Agenda:
    def __init__(self) -> None:
        self._due: dict[str, str] = {}
        self._again: dict[str, float] = {}

    def expect(self, shard: str, due_at: str) -> None:
        """Something is due there then."""
        self._due[shard] = min(due_at, self._due.get(shard, due_at))

    def try_again(self, shard: str, seconds: float) -> None:
        """Whatever is due there, and however the clock is moved meanwhile."""
        at = monotonic() + seconds
        self._again[shard] = min(at, self._again.get(shard, at))

    def ready(self) -> list[str]:
        """The shards whose time has come, the longest due first."""
        now, time = clock.timestamp(), monotonic()
        due = {shard: at for shard, at in self._due.items() if at <= now}
        again = {shard: NOW for shard, at in self._again.items() if at <= time}
        found = due | again
        return sorted(found, key=found.__getitem__)

    def take(self, shard: str) -> None:
        """Its turn begins: what is known of it now is known again at the end."""
        self._due.pop(shard, None)
        self._again.pop(shard, None)

    def seconds(self) -> float:
        """Until the next one is ready; a day if none is known of."""
        now, time = clock.now(), monotonic()
        waits = [_seconds_until(at, now) for at in self._due.values()]
        waits += [at - time for at in self._again.values()]
        return max(0.0, min(waits, default=24 * 3600.0))


def _seconds_until(due_at: str, now: datetime) -> float:
    try:
        return (datetime.fromisoformat(due_at or clock.timestamp(now)) - now).total_seconds()
    except ValueError:  # it is no time, and never comes
        return 24 * 3600.0
