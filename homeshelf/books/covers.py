"""Draw covers: title and author decide their colour and pattern."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

HUES = 12
WIDTH, HEIGHT = 100, 150


@dataclass(frozen=True)
class Cover:
    hue: int
    drawing: Markup


def cover(title: str, author: str | None) -> Cover:
    digest = hashlib.sha256(f"{title}\n{author or ''}".encode()).digest()
    draw = _PATTERNS[digest[1] % len(_PATTERNS)]
    return Cover(digest[0] % HUES, Markup(_SVG).format(Markup(draw(digest[2], digest[3]))))  # noqa: S704  # of numbers alone


_SVG = (
    '<svg class="cover-art" viewBox="0 0 100 150" preserveAspectRatio="xMidYMid slice"'
    ' aria-hidden="true" focusable="false">{}</svg>'
)


def _stripes(one: int, other: int) -> str:
    step, tilt = 10 + one % 12, -60 + other % 120
    lines = (f'<path d="M{x} -40L{x + tilt} 190"/>' for x in range(-100, 200, step))
    return _group(lines, 2 + one % 4)


def _dots(one: int, other: int) -> str:
    step, size = 12 + one % 10, 2 + other % 4
    return _group(
        f'<circle cx="{x + (step // 2 if row % 2 else 0)}" cy="{y}" r="{size}"/>'
        for row, y in enumerate(range(0, HEIGHT + step, step))
        for x in range(0, WIDTH + step, step)
    )


def _waves(one: int, other: int) -> str:
    step, high = 12 + one % 8, 6 + other % 10
    return _group(
        (
            f'<path d="M-10 {y}q15 -{high} 30 0t30 0t30 0t30 0t30 0"/>'
            for y in range(0, HEIGHT + step, step)
        ),
        2.5,
    )


def _sun(one: int, other: int) -> str:
    x, y = 20 + one % 60, 90 + other % 40
    return _group(
        (f'<circle cx="{x}" cy="{y}" r="{radius}"/>' for radius in range(10, 150, 9 + one % 6)), 3
    )


def _hills(one: int, other: int) -> str:
    hills = (
        f'<path opacity="{0.35 + 0.2 * level:.2f}" d="M-5 160V{y}Q{20 + one % 60} {y - 45}'
        f' 60 {y - 5}T105 {y - 10 - other % 20}V160Z"/>'
        for level, y in enumerate((95, 115, 135))
    )
    return _group([*hills, f'<circle cx="{25 + other % 50}" cy="66" r="9"/>'])


def _tiles(one: int, other: int) -> str:
    step = 16 + one % 10
    return _group(
        f'<path d="M{x} {y}v{step}h{step}z"/>'
        for row, y in enumerate(range(0, HEIGHT + step, step))
        for column, x in enumerate(range(0, WIDTH + step, step))
        if (row * 7 + column * 3 + other) % 3
    )


def _group(shapes: Iterable[str], stroke: float | None = None) -> str:
    """Return the shapes filled, or drawn in lines of this width."""
    lines = f'fill="none" stroke="currentColor" stroke-width="{stroke}"'
    return "<g {}>{}</g>".format(lines if stroke else 'fill="currentColor"', "".join(shapes))


_PATTERNS = (_stripes, _dots, _waves, _sun, _hills, _tiles)
