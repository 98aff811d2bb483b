"""What the headers of a page load say about the page."""

from typing import NamedTuple

RawHeaders = list[tuple[bytes, bytes]]
_PREPARING = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")


class Wishes(NamedTuple):
    packed: bool
    prepared: bool
    """Whether a browser only gets ready for what somebody may open."""


def wishes_in(headers: RawHeaders) -> Wishes:
    packed = prepared = False
    for name, value in headers:
        if name == b"accept-encoding":
            packed = packed or b"gzip" in value
        elif name in _PREPARING:
            prepared = prepared or b"pre" in value.lower()
    return Wishes(packed, prepared)
