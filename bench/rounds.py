"""Measuring on a machine that does other things too: short rounds in turn, and their medians."""

from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter

Work = Callable[[int], Awaitable[None]]
"""Does something so many times."""
Timer = Callable[[], float]
WARM_UP = 3


async def in_turn(
    ours: Work, beside: Work, *, times: int, rounds: int, timer: Timer = perf_counter
) -> tuple[float, float]:
    """Seconds for one of ours and one of the other: so many `times` in each of many rounds."""
    took = await all_in_turn([(ours, timer), (beside, timer)], times=times, rounds=rounds)
    return took[0], took[1]


async def all_in_turn(
    works: Sequence[tuple[Work, Timer]], *, times: int, rounds: int
) -> list[float]:
    """The same of any number, each with its own timer.

    A round is short, so that whatever else the machine does meets all alike; every other round is
    taken backwards, so that none always follows the same one.
    """
    took: list[list[float]] = [[] for _ in works]
    for round_ in range(WARM_UP + rounds):
        turns = list(enumerate(works))
        for which, (work, timer) in turns if round_ % 2 else reversed(turns):
            began = timer()
            await work(times)
            took[which].append((timer() - began) / times)
    return [median(each[WARM_UP:]) for each in took]
