"""Compare the cost of an operation on little and on much data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.charts import Curves
from bench.part import Report
from bench.rounds import Timer, Work, measure_in_turns

FLAT = 1.5


@dataclass(frozen=True)
class Point:
    size: int
    works: Mapping[str, Work]
    timer: Timer


async def measure_growth(
    report: Report, points: Sequence[Point], chart: Curves, *, times: int, rounds: int
) -> None:
    """Measure each operation at every size; report the largest beside the smallest, and a curve."""
    lines = {}
    for what in points[0].works:
        report.step(what)
        works = [(point.works[what], point.timer) for point in points]
        took = await measure_in_turns(works, times=times, rounds=rounds)
        report.measured(what, took[-1], took[0])
        sizes = [point.size for point in points]
        lines[what] = [(size, each / took[0]) for size, each in zip(sizes, took, strict=True)]
    report.chart(Curves(chart.name, chart.title, chart.across, lines, chart.bar))
