"""gzip for a page whose beginning is always the same.

The beginning is packed once. What follows is different for everybody, small, and sent as it is: so
packing costs next to nothing, and the size says nothing about what stands there.
"""

import struct
import zlib

_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_LAST_AS_IT_IS = b"\x01"
MOST_BYTES = 0xFFFF
"""Of one block that is not packed."""


class Packing:
    def __init__(self, beginning: bytes) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(beginning) + packer.flush(zlib.Z_FULL_FLUSH)
        self._packed = _HEAD + packed
        self._checksum = zlib.crc32(beginning)
        self._length = len(beginning)

    def packed(self, rest: bytes) -> bytes:
        """The beginning and this, as one file."""
        length = len(rest)
        if length > MOST_BYTES:
            raise ValueError("this is too long to be sent as it is")
        block = struct.pack("<HH", length, length ^ MOST_BYTES)
        checksum = zlib.crc32(rest, self._checksum)
        end = struct.pack("<LL", checksum, self._length + length)
        return b"".join((self._packed, _LAST_AS_IT_IS, block, rest, end))
