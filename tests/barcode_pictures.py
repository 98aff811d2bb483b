"""Pictures of barcodes, as grey pixels and as PNG."""

import struct
import zlib

import zxingcpp

_BAR_WIDTH = 3


def grey_barcode(code: str) -> tuple[bytes, int, int]:
    """Return the pixels, the width and the height of a barcode."""
    barcode = zxingcpp.create_barcode(code, zxingcpp.BarcodeFormat.EAN13)
    picture = memoryview(zxingcpp.write_barcode_to_image(barcode, scale=_BAR_WIDTH))  # type: ignore[arg-type]  # a buffer
    height, width = picture.shape or ()
    return bytes(picture), width, height


def png_barcode(code: str) -> bytes:
    pixels, width, height = grey_barcode(code)
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, len(pixels), width))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
