"""Which language a request asks for, by its `Accept-Language`."""

from collections.abc import Iterable
from functools import lru_cache

from homeshelf.languages import LANGUAGES, Language

LONGEST = 500
"""As much of the header is read; browsers need a tenth of it."""

RawHeaders = Iterable[tuple[bytes, bytes]]


def asked_for(headers: RawHeaders) -> Language | None:
    """The one that they ask for most of those we have; None where any will do, or none is ours."""
    lines = [value for name, value in headers if name == b"accept-language"]
    return wanted(b",".join(lines)[:LONGEST].decode("latin-1")) if lines else None


@lru_cache(maxsize=256)
def wanted(header: str) -> Language | None:
    """`de-AT` asks for `de` too, and `*` for any."""
    ranges = [_range(part) for part in header.lower().split(",")]
    for _weight, name in sorted((each for each in ranges if each[0] > 0), key=_heaviest):
        if name == "*":
            return None
        if found := LANGUAGES.get(name) or LANGUAGES.get(name.partition("-")[0]):
            return found
    return None


def _range(part: str) -> tuple[float, str]:
    """Its weight, which is 0 where it is not wanted or cannot be read, and its name."""
    name, _, parameter = part.strip().partition(";")
    parameter = parameter.strip()
    if not parameter:
        return 1.0, name.strip()
    try:
        weight = float(parameter.removeprefix("q=")) if parameter.startswith("q=") else 0.0
    except ValueError:
        weight = 0.0
    return (weight if 0 < weight <= 1 else 0.0), name.strip()


def _heaviest(each: tuple[float, str]) -> float:
    return -each[0]
