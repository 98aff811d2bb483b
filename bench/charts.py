"""Charts as data, and as SVG with colors for light and dark pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from xml.sax.saxutils import escape

Point = tuple[float, float]

STYLE = """
svg { color-scheme: light dark; }
text { font: 12px system-ui, sans-serif; fill: #222; }
.title { font-size: 15px; font-weight: 600; }
.page { fill: #fff; }
.grid { stroke: #ccc; stroke-width: 1; }
.bar { stroke: #c8402f; stroke-width: 1.5; stroke-dasharray: 5 3; }
.within { fill: #3b7dd8; }
.beyond { fill: #c8402f; }
.line { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #eee; }
  .page { fill: #17181a; }
  .grid { stroke: #444; }
  .bar { stroke: #ff8a75; }
  .beyond { fill: #ff8a75; }
  .within { fill: #6ea8f7; }
}
"""
COLOURS = ("#3b7dd8", "#d9822b", "#2e9e6b", "#b04ac0", "#c8402f", "#8a8f36", "#0e9aa7", "#8a6d5a")
"""Colors that stand out from a light and a dark background."""


@dataclass(frozen=True)
class Curves:
    """A chart of several values against one growing number, with two logarithmic axes."""

    name: str
    title: str
    across: str
    lines: Mapping[str, Sequence[Point]]
    bar: float
    """The limit that no curve should exceed."""


@dataclass(frozen=True)
class Rows:
    """A bar chart: a row for each value, with its limit and its text."""

    name: str
    title: str
    rows: Sequence[tuple[str, float, float | None, str]]


Chart = Curves | Rows


def draw(chart: Chart) -> str:
    return _draw_curves(chart) if isinstance(chart, Curves) else _draw_rows(chart)


def _draw_rows(chart: Rows) -> str:
    left, width, height = 470.0, 240.0, 20.0
    most = max([1e-9, *(max(value, bar or 0) for _, value, bar, _ in chart.rows)])
    parts = []
    for number, (what, value, bar, text) in enumerate(chart.rows):
        y = 44 + number * height
        kind = "within" if bar is None or value <= bar else "beyond"
        parts.append(_text(left - 8, y + 13, what, "end"))
        parts.append(_rect(left, y + 3, value / most * width, height - 6, kind))
        if bar is not None:
            parts.append(_line(left + bar / most * width, y, left + bar / most * width, y + height))
        parts.append(_text(left + width + 10, y + 13, text))
    return _svg(chart.title, 900, 56 + len(chart.rows) * height, parts)


def _draw_curves(chart: Curves) -> str:
    left, top, width, height = 60.0, 50.0, 460.0, 300.0
    points = [point for line in chart.lines.values() for point in line]
    first, last = (log10(pick(x for x, _ in points)) for pick in (min, max))
    low, high = 0.5, max(3.0, max(y for _, y in points) * 1.2)

    def across(x: float) -> float:
        return left + (log10(x) - first) / ((last - first) or 1.0) * width

    def y_of(y: float) -> float:
        place = (log10(max(y, low)) - log10(low)) / (log10(high) - log10(low))
        return top + height - place * height

    def grid() -> Iterator[str]:
        for y in (each for each in (0.5, 1, 2, 3, 5, 10, 20, 50) if each <= high):
            yield _line(left, y_of(y), left + width, y_of(y), "grid")
            yield _text(left - 8, y_of(y) + 4, f"{y:g}", "end")
        for x in sorted({x for x, _ in points}):
            yield _line(across(x), top, across(x), top + height, "grid")
            yield _text(across(x), top + height + 18, f"{x:,.0f}", "middle")
        yield _line(left, y_of(chart.bar), left + width, y_of(chart.bar))
        yield _text(left + width / 2, top + height + 40, chart.across, "middle")
        yield _text(left, top - 8, "times what it is at the left")

    def lines() -> Iterator[str]:
        for number, (what, line) in enumerate(chart.lines.items()):
            colour = COLOURS[number % len(COLOURS)]
            path = " ".join(f"{across(x):.1f},{y_of(y):.1f}" for x, y in line)
            dashes = ' stroke-dasharray="6 4"' if number >= len(COLOURS) else ""
            yield f'<polyline class="line" stroke="{colour}"{dashes} points="{path}"/>'
            for x, y in line:
                yield f'<circle cx="{across(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{colour}"/>'
            beside = top + 10 + number * 20
            yield f'<circle cx="{left + width + 22}" cy="{beside - 4}" r="5" fill="{colour}"/>'
            yield _text(left + width + 34, beside, f"{what}: {line[-1][1]:.2f}")

    return _svg(chart.title, 800, top + height + 60, [*grid(), *lines()])


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            '<rect class="page" width="100%" height="100%"/>',
            f'<text class="title" x="12" y="26">{escape(title)}</text>',
            *parts,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    size = f'width="{max(width, 1):.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size} rx="2"/>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str = "bar") -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'
