"""The same operations on less and on more of something: what each costs more, and the curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.charts import Curves
from bench.part import Report
from bench.rounds import Timer, Work, all_in_turn

FLAT = 1.5


@dataclass(frozen=True)
class Point:
    size: int
    works: Mapping[str, Work]
    timer: Timer


async def grown(
    report: Report, points: Sequence[Point], chart: Curves, *, times: int, rounds: int
) -> None:
    """Each operation on the largest beside the smallest, and what it is on all of them."""
    lines = {}
    for what in points[0].works:
        report.step(what)
        works = [(point.works[what], point.timer) for point in points]
        took = await all_in_turn(works, times=times, rounds=rounds)
        report.measured(what, took[-1], took[0])
        sizes = [point.size for point in points]
        lines[what] = [(size, each / took[0]) for size, each in zip(sizes, took, strict=True)]
    report.chart(Curves(chart.name, chart.title, chart.across, lines, chart.bar))
