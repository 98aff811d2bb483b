"""Deadlines of reads and writes, and how late a change may reach its listeners."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any

from homeshelf import clock

FILE_SECONDS = 4.0
"""The longest time for a change to wait for the embedded engine's file."""
READ_SECONDS = 1.0
"""The longest time for a read to wait for the file; it blocks the event loop."""
SERVER_SECONDS = 6.0
CONFLICT_SECONDS = 5.0
"""The longest time for retries of a change that keeps losing to other writers."""

REQUEST_SECONDS = 12.0
"""The longest time for all database calls of one request together."""

ACKNOWLEDGED_SECONDS = max(FILE_SECONDS, SERVER_SECONDS)
"""The longest time from making a change's id until the change can be read."""
CLOCKS_DIFFER_SECONDS = 10.0
"""The largest difference between the clocks of two machines; `homeshelf doctor` checks it."""
OVERLAP_SECONDS = ACKNOWLEDGED_SECONDS + CLOCKS_DIFFER_SECONDS
"""The longest time by which a change may become readable after one with a later id."""


def is_in_the_future(seconds: float) -> bool:
    """Return whether a stored Unix time was written before the clock was set back."""
    return seconds > clock.seconds() + CLOCKS_DIFFER_SECONDS


Ending = tuple["asyncio.Task[Any] | None", float]
_ending: ContextVar[Ending | None] = ContextVar("ending", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[float]:
    """Limit the time of this task's database calls in the block; an outer limit still holds."""
    ends = monotonic() + time_left(seconds)
    before = _ending.set((asyncio.current_task(), ends))
    try:
        yield ends
    finally:
        _ending.reset(before)


def time_left(seconds: float) -> float:
    """Return the seconds left to this task; the tasks that it starts have their own limit."""
    ending = _ending.get()
    if ending is None or ending[0] is not asyncio.current_task():
        return seconds
    return min(seconds, ending[1] - monotonic())
