"""How long a change may take, and what follows from that for those who listen."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any

FILE_SECONDS = 4.0
"""A change waits so long for the file of the embedded engine, from the moment of asking."""
READ_SECONDS = 1.0
"""A read waits in the event loop, and others behind it; it hardly ever has to."""
SERVER_SECONDS = 6.0
"""A request to a DynamoDB server takes so long at most, with all its repetitions."""
SETTLED_SECONDS = 5.0
"""A change that others come in between of is given up so long after the moment of asking."""

ACKNOWLEDGED_SECONDS = max(FILE_SECONDS, SERVER_SECONDS)
"""From the making of a change's id until the change can be read, at the longest."""
CLOCKS_DIFFER_SECONDS = 10.0
"""As much may the clocks of two machines differ; `homeshelf doctor` says when they do."""
OVERLAP_SECONDS = ACKNOWLEDGED_SECONDS + CLOCKS_DIFFER_SECONDS
"""A change may become readable so long after one with a later id."""

Ending = tuple["asyncio.Task[Any] | None", float]
_ending: ContextVar[Ending | None] = ContextVar("ending", default=None)


@contextmanager
def given_up_after(seconds: float) -> Iterator[float]:
    """What this task asks of the database in the block must begin within these seconds.

    Yields that moment, of `monotonic`. A block inside another one ends no later than that one.
    """
    task, ends = asyncio.current_task(), monotonic() + time_left(seconds)
    before = _ending.set((task, ends))
    try:
        yield ends
    finally:
        _ending.reset(before)


def time_left(seconds: float) -> float:
    """So many seconds, or what is left to this task where that is less.

    Tasks that it starts have a time of their own: they may live on when it has answered.
    """
    ending = _ending.get()
    if ending is None or ending[0] is not asyncio.current_task():
        return seconds
    return min(seconds, ending[1] - monotonic())
