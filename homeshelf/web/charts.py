"""Charts as SVG, drawn here; each page shows the same numbers as a table too."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup, escape

WIDTH, HEIGHT = 320.0, 120.0

Point = tuple[datetime, int]


def step_chart(points: Sequence[Point], mark: int, until: datetime, told: str) -> Markup:
    """A count over time, oldest first: level until it changes. `mark` is drawn as a line."""
    start = points[0][0]
    span = max((until - start).total_seconds(), 1.0)
    top = max(mark, *(count for _, count in points)) * 1.1 or 1.0

    def x(at: datetime) -> float:
        return round((at - start).total_seconds() / span * WIDTH, 1)

    def y(count: float) -> float:
        return round(HEIGHT - count / top * HEIGHT, 1)

    steps = f"M{x(start)} {y(points[0][1])}"
    steps += "".join(f"H{x(at)}V{y(count)}" for at, count in points[1:])
    steps += f"H{WIDTH}"
    line = (
        Markup('<line class="chart-mark" x1="0" x2="{}" y1="{}" y2="{}"/>').format(
            WIDTH, y(mark), y(mark)
        )
        if mark
        else ""
    )
    return Markup(
        '<svg class="chart" viewBox="0 -4 {} {}" role="img" aria-label="{}">'
        '<path class="chart-area" d="{}V{}H0Z"/><path class="chart-line" d="{}"/>{}</svg>'
    ).format(WIDTH, HEIGHT + 8, escape(told), steps, HEIGHT, steps, line)
