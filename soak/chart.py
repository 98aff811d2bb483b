"""Draw the figures of a soak run as SVG line charts, for light and dark backgrounds."""

from collections.abc import Sequence
from html import escape

from soak.samples import LIMITS, Sample

WIDTH, HEIGHT, GAP, LEFT = 720, 90, 46, 8
HOURS = 48
STYLE = (
    "text{font:13px sans-serif;fill:#555}.grid{stroke:#8886}.line{fill:none;stroke:#2a78c2;"
    "stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#bbb}.line{stroke:#6cb4ff}}"
)


def draw_charts(samples: Sequence[Sample]) -> str:
    charts = [
        (limit.name, [limit.measure(samples[max(0, n - 1) : n + 1]) for n in range(len(samples))])
        for limit in LIMITS
    ]
    hours = [each.hour for each in samples]
    height = len(charts) * (HEIGHT + GAP) + GAP
    body = "".join(
        f'<g transform="translate({LEFT},{y})">{_draw_chart(chart, hours)}</g>'
        for y, chart in zip(range(GAP, height, HEIGHT + GAP), charts, strict=False)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * LEFT} {height}">'
        f"<style>{STYLE}</style>{body}</svg>"
    )


def _draw_chart(chart: tuple[str, Sequence[float]], hours: Sequence[float]) -> str:
    title, values = chart
    maximum = max(values, default=0) or 1
    points = " ".join(
        f"{hour / HOURS * WIDTH:.1f},{HEIGHT - value / maximum * HEIGHT:.1f}"
        for hour, value in zip(hours, values, strict=True)
    )
    grid = "".join(
        f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{HEIGHT}"/>'
        for x in (0, WIDTH // 2, WIDTH)
    )
    return (
        f'<text y="-8">{escape(title)}, up to {maximum:.4g}</text>{grid}'
        f'<line class="grid" x1="0" x2="{WIDTH}" y1="{HEIGHT}" y2="{HEIGHT}"/>'
        f'<polyline class="line" points="{points}"/>'
    )
