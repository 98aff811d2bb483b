"""Measure on a busy machine: short rounds in turn, and their medians."""

from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter

Work = Callable[[int], Awaitable[None]]
"""Does something this number of times."""
Timer = Callable[[], float]
WARM_UP = 3


async def measure_pair(
    ours: Work, reference: Work, *, times: int, rounds: int, timer: Timer = perf_counter
) -> tuple[float, float]:
    """Return the seconds of each work: the medians of `rounds` rounds of `times` runs."""
    seconds = await measure_in_turns(
        [(ours, timer), (reference, timer)], times=times, rounds=rounds
    )
    return seconds[0], seconds[1]


async def measure_in_turns(
    works: Sequence[tuple[Work, Timer]], *, times: int, rounds: int
) -> list[float]:
    """Return the seconds of each work, each measured with its own timer.

    Rounds are short, so that other load on the machine affects all works alike. Every other round
    runs backwards, so that no work always follows the same one.
    """
    seconds: list[list[float]] = [[] for _ in works]
    for round_ in range(WARM_UP + rounds):
        turns = list(enumerate(works))
        for which, (work, timer) in turns if round_ % 2 else reversed(turns):
            started_at = timer()
            await work(times)
            seconds[which].append((timer() - started_at) / times)
    return [median(each[WARM_UP:]) for each in seconds]
