"""The drawings beside words, from the icon set, and codes to scan.

The set's own function opens its archive of 1,700 drawings anew for each of them, which makes the
first page after a start a third of a second late.
"""

from functools import cache
from importlib.resources import files
from io import BytesIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import segno
from markupsafe import Markup

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
