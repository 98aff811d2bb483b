"""Measuring on a machine that does other things too: short rounds in turn, and their medians."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Work = Callable[[int], Awaitable[None]]
"""Does something so many times."""


@dataclass(frozen=True)
class Times:
    """Seconds that each took, round by round."""

    ours: list[float]
    beside: list[float]

    @property
    def medians(self) -> tuple[float, float, float]:
        """Of ours, of the other, and of their ratio within a round."""
        ratios = [one / other for one, other in zip(self.ours, self.beside, strict=True)]
        return median(self.ours), median(self.beside), median(ratios)


async def in_turn(
    ours: Work,
    beside: Work,
    *,
    times: int,
    rounds: int = 15,
    timer: Callable[[], float] = perf_counter,
) -> Times:
    """Seconds for one of each; the first round warms up and does not count."""
    took = Times([], [])
    for round_ in range(rounds + 1):
        first, second = (ours, took.ours), (beside, took.beside)
        for work, seconds in (first, second) if round_ % 2 else (second, first):
            began = timer()
            await work(times)
            if round_:
                seconds.append((timer() - began) / times)
    return took
