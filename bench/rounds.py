"""Measuring on a machine that does other things too: short rounds in turn, and their medians."""

from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter

Work = Callable[[int], Awaitable[None]]
"""Does something so many times."""
WARM_UP = 3


async def in_turn(
    ours: Work,
    beside: Work,
    *,
    times: int,
    rounds: int,
    timer: Callable[[], float] = perf_counter,
) -> tuple[float, float]:
    """Seconds for one of ours and one of the other: so many `times` in each of many rounds.

    A round is short, so that whatever else the machine does meets both alike.
    """
    took: tuple[list[float], list[float]] = ([], [])
    for round_ in range(WARM_UP + rounds):
        for which in (0, 1) if round_ % 2 else (1, 0):
            work = (ours, beside)[which]
            began = timer()
            await work(times)
            took[which].append((timer() - began) / times)
    return median(took[0][WARM_UP:]), median(took[1][WARM_UP:])


async def one_by_one(
    work: Work, *, times: int, rounds: int, timer: Callable[[], float] = perf_counter
) -> float:
    """Seconds for one, where there is nothing to do in turn with it."""
    took = []
    for _ in range(WARM_UP + rounds):
        began = timer()
        await work(times)
        took.append((timer() - began) / times)
    return median(took[WARM_UP:])
