"""Icons, QR codes and charts as inline SVG.

The icon package's own function opens its archive for each icon, which adds a third of a second to
the first page after a start.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from functools import cache
from importlib.resources import files
from io import BytesIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import segno
from markupsafe import Markup, escape

from homeshelf.languages.formats import formats

NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
"""The attribute that SVG inside HTML does not need."""
POINTING = frozenset({"chevron-left", "chevron-right", "list-checks", "log-out"})
"""Icons that are mirrored in languages written from right to left."""


@cache
def icon(name: str, size: int = 24) -> Markup:
    """Return an icon to place beside a word; screen readers skip it."""
    text = _archive().read(f"{name}.svg").decode().replace(NAMESPACE, "", 1)
    drawing = ET.fromstring(text)  # noqa: S314  # from the icon set
    drawing.attrib |= {"width": str(size), "height": str(size)}
    drawing.attrib |= {"aria-hidden": "true", "focusable": "false"}
    if name in POINTING:
        drawing.attrib["class"] = "points"
    return Markup(ET.tostring(drawing, encoding="unicode"))  # noqa: S704


def qr_code(link: str, border: int = 4) -> Markup:
    """Draw a QR code as large as its container, with a border for paper."""
    picture = segno.make(link, error="m", micro=False)
    drawn = picture.svg_inline(border=border, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn by the library


@cache
def _archive() -> ZipFile:
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))


WIDTH, HEIGHT, FOOT = 320.0, 120.0, 16.0

Point = tuple[datetime, int]


def step_chart(
    points: Sequence[Point], mark: int, until: datetime, labels: str, zone: tzinfo
) -> Markup:
    """Draw a count over time as steps, oldest first, with the threshold `mark` as a line.

    A page with a chart also shows the numbers as a table.
    """
    start = points[0][0]
    span = max((until - start).total_seconds(), 1.0)
    highest = max(count for _, count in points)
    top = max(mark, highest) * 1.1 or 1.0

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
        '<svg class="chart chart-dated" viewBox="-4 -4 {} {}" role="img" aria-label="{}">'
        '<path class="chart-area" d="{}V{}H0Z"/><path class="chart-line" d="{}"/>{}'
        '<text x="0" y="{}">{}</text><text x="0" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>'
    ).format(
        WIDTH + 8,
        HEIGHT + FOOT + 8,
        escape(labels),
        steps,
        HEIGHT,
        steps,
        line,
        y(highest) - 4,
        formats().number(highest),
        HEIGHT + FOOT,
        formats().short_day(start.astimezone(zone)),
        WIDTH,
        HEIGHT + FOOT,
        formats().short_day(until.astimezone(zone)),
    )
