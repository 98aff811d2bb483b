"""How long a change may take, and what follows from that for listeners."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any

from homeshelf import clock

FILE_SECONDS = 4.0
"""How long a change waits for the embedded engine's file, from the moment of asking."""
READ_SECONDS = 1.0
"""How long a read waits for the file. It blocks the event loop meanwhile."""
SERVER_SECONDS = 6.0
SETTLED_SECONDS = 5.0
"""When a change that keeps losing conflicts is given up, from the moment of asking."""

REQUEST_SECONDS = 12.0
"""How long all that a request asks of the database may take together."""

ACKNOWLEDGED_SECONDS = max(FILE_SECONDS, SERVER_SECONDS)
"""The longest time from making a change's id until the change can be read."""
CLOCKS_DIFFER_SECONDS = 10.0
"""How far the clocks of two machines may differ; `homeshelf doctor` says when they do."""
OVERLAP_SECONDS = ACKNOWLEDGED_SECONDS + CLOCKS_DIFFER_SECONDS
"""How long after a change with a later id an earlier one may become readable."""


def is_in_the_future(seconds: float) -> bool:
    """Return whether a stored Unix time can only come from a clock that was set back since."""
    return seconds > clock.seconds() + CLOCKS_DIFFER_SECONDS


Ending = tuple["asyncio.Task[Any] | None", float]
_ending: ContextVar[Ending | None] = ContextVar("ending", default=None)


@contextmanager
def given_up_after(seconds: float) -> Iterator[float]:
    """Yield the deadline of this task's database calls in the block, no later than an outer one."""
    ends = monotonic() + time_left(seconds)
    before = _ending.set((asyncio.current_task(), ends))
    try:
        yield ends
    finally:
        _ending.reset(before)


def time_left(seconds: float) -> float:
    """Return the seconds left to this task; tasks that it starts have their own time."""
    ending = _ending.get()
    if ending is None or ending[0] is not asyncio.current_task():
        return seconds
    return min(seconds, ending[1] - monotonic())
