"""Draw the app icon into `homeshelf/web/static`, in the sizes that phones request."""

import struct
import zlib
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "homeshelf" / "web" / "static"
SIZES = (180, 192, 512)

LEAF = bytes((62, 122, 70))
PAPER = bytes((251, 247, 236))
HONEY = bytes((226, 158, 58))


@dataclass(frozen=True)
class Block:
    """A rounded rectangle, measured in fractions of the icon's size."""

    left: float
    top: float
    right: float
    bottom: float
    radius: float
    colour: bytes

    def span(self, y: float) -> tuple[float, float] | None:
        """Return the covered part of the row at this height."""
        if not self.top <= y <= self.bottom:
            return None
        off = max(self.top + self.radius - y, y - (self.bottom - self.radius), 0.0)
        inset = self.radius - sqrt(self.radius**2 - off**2)
        return self.left + inset, self.right - inset


JAR_ON_SHELF = (
    Block(0.22, 0.72, 0.78, 0.78, 0.03, PAPER),
    Block(0.32, 0.30, 0.68, 0.72, 0.08, PAPER),
    Block(0.36, 0.46, 0.64, 0.68, 0.05, HONEY),
    Block(0.36, 0.20, 0.64, 0.28, 0.03, PAPER),
)


def app_icon(size: int) -> bytes:
    """Return the app icon as PNG, because phones accept no SVG for it.

    Its content is in the middle, so that phones can crop it to a circle.
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


if __name__ == "__main__":
    for each in SIZES:
        (FOLDER / f"icon-{each}.png").write_bytes(app_icon(each))
