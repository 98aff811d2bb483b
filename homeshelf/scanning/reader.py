"""Read barcodes in grey pictures, which are only pixels: no image format has to be decoded."""

from dataclasses import dataclass
from functools import partial

from homeshelf.errors import Invalid
from homeshelf.scanning.limits import ScanLimits
from homeshelf.sentences import _

MAX_PIXELS = 300_000
MAX_SIDE = 2000


@dataclass(frozen=True)
class GreyPicture:
    """A picture with one byte for each pixel."""

    pixels: bytes
    width: int
    height: int


async def read_barcodes(limits: ScanLimits, member_id: str, picture: GreyPicture) -> list[str]:
    """Return the digits of the barcodes in a picture that a person sent."""
    limits.pictures.take(member_id)
    if len(picture.pixels) != picture.width * picture.height:
        raise Invalid([("body", _("The picture must have one byte for each pixel."))])
    with limits.lane.place() as lane:
        return await lane.run(partial(_decode, picture))


def _decode(picture: GreyPicture) -> list[str]:
    import zxingcpp  # noqa: PLC0415  # its memory is taken with the first picture

    formats = zxingcpp.barcode_formats_from_str("EAN13, EAN8, UPCA")
    rows = memoryview(picture.pixels).cast("B", (picture.height, picture.width))
    return [barcode.text for barcode in zxingcpp.read_barcodes(rows, formats)]
