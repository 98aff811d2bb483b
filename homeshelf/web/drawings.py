"""What is drawn: icons beside words, codes to scan, charts, and the app's own picture.

The icon set's own function opens its archive of 1,700 drawings anew for each of them, which makes
the first page after a start a third of a second late.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from io import BytesIO
from math import sqrt
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import segno
from markupsafe import Markup, escape

NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
"""What stands in a page needs none."""


@cache
def icon(name: str, size: int = 24) -> Markup:
    """A drawing beside a word, never instead of one: screen readers pass it over."""
    text = _archive().read(f"{name}.svg").decode().replace(NAMESPACE, "", 1)
    drawing = ET.fromstring(text)  # noqa: S314  # from the icon set
    drawing.attrib |= {"width": str(size), "height": str(size)}
    drawing.attrib |= {"aria-hidden": "true", "focusable": "false"}
    return Markup(ET.tostring(drawing, encoding="unicode"))  # noqa: S704


def qr_code(link: str, border: int = 4) -> Markup:
    """As large as its surroundings, with a border for paper."""
    picture = segno.make(link, error="m", micro=False)
    drawn = picture.svg_inline(border=border, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn by the library


@cache
def _archive() -> ZipFile:
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))


WIDTH, HEIGHT = 320.0, 120.0

Point = tuple[datetime, int]


def step_chart(points: Sequence[Point], mark: int, until: datetime, told: str) -> Markup:
    """A count over time, oldest first: level until it changes. `mark` is drawn as a line.

    A page with a chart shows the same numbers as a table too.
    """
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


LEAF = bytes((62, 122, 70))
PAPER = bytes((251, 247, 236))
HONEY = bytes((226, 158, 58))


@dataclass(frozen=True)
class Block:
    """A rounded rectangle, in parts of the picture's size."""

    left: float
    top: float
    right: float
    bottom: float
    radius: float
    colour: bytes

    def span(self, y: float) -> tuple[float, float] | None:
        """From where to where it covers the row at this height."""
        if not self.top <= y <= self.bottom:
            return None
        off = max(self.top + self.radius - y, y - (self.bottom - self.radius), 0.0)
        inset = self.radius - sqrt(self.radius**2 - off**2)
        return self.left + inset, self.right - inset


JAR_ON_SHELF = (
    Block(0.18, 0.72, 0.82, 0.78, 0.03, PAPER),
    Block(0.32, 0.30, 0.68, 0.72, 0.08, PAPER),
    Block(0.36, 0.46, 0.64, 0.68, 0.05, HONEY),
    Block(0.36, 0.20, 0.64, 0.28, 0.03, PAPER),
)


def app_icon(size: int) -> bytes:
    """The app's own picture as PNG, because phones take no SVG for it: a jar on a shelf.

    Its middle holds all that matters, so that it may be cut round.
    """
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + _row(size, (y + 0.5) / size) for y in range(size))
    chunks = (
        _chunk(b"IHDR", header),
        _chunk(b"IDAT", zlib.compress(rows, 9)),
        _chunk(b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _row(size: int, y: float) -> bytes:
    row = bytearray(LEAF * size)
    for block in JAR_ON_SHELF:
        if span := block.span(y):
            start, end = (round(edge * size) for edge in span)
            row[start * 3 : end * 3] = block.colour * (end - start)
    return bytes(row)


def _chunk(kind: bytes, content: bytes) -> bytes:
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
