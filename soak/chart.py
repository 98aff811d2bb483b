"""The two days as lines, one chart below the other, legible on light and dark ground."""

from collections.abc import Sequence
from html import escape

from soak.samples import BARS, Sample

WIDTH, HEIGHT, GAP, LEFT = 720, 90, 46, 8
HOURS = 48
STYLE = (
    "text{font:13px sans-serif;fill:#555}.grid{stroke:#8886}.line{fill:none;stroke:#2a78c2;"
    "stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#bbb}.line{stroke:#6cb4ff}}"
)


def drawn(samples: Sequence[Sample]) -> str:
    charts = [
        (bar.what, [bar.of(samples[max(0, n - 1) : n + 1]) for n in range(len(samples))])
        for bar in BARS
    ]
    hours = [each.hour for each in samples]
    height = len(charts) * (HEIGHT + GAP) + GAP
    body = "".join(
        f'<g transform="translate({LEFT},{place})">{_lines(chart, hours)}</g>'
        for place, chart in zip(range(GAP, height, HEIGHT + GAP), charts, strict=False)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * LEFT} {height}">'
        f"<style>{STYLE}</style>{body}</svg>"
    )


def _lines(chart: tuple[str, Sequence[float]], hours: Sequence[float]) -> str:
    what, values = chart
    most = max(values, default=0) or 1
    points = " ".join(
        f"{hour / HOURS * WIDTH:.1f},{HEIGHT - value / most * HEIGHT:.1f}"
        for hour, value in zip(hours, values, strict=True)
    )
    grid = "".join(
        f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{HEIGHT}"/>'
        for x in (0, WIDTH // 2, WIDTH)
    )
    return (
        f'<text y="-8">{escape(what)}, up to {most:.4g}</text>{grid}'
        f'<line class="grid" x1="0" x2="{WIDTH}" y1="{HEIGHT}" y2="{HEIGHT}"/>'
        f'<polyline class="line" points="{points}"/>'
    )
