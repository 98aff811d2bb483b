"""Choose a language by the `Accept-Language` of a request."""

from collections.abc import Iterable
from functools import lru_cache

from homeshelf.languages import LANGUAGES, Language

LONGEST = 500
"""Bytes of the header that are read; browsers send a tenth of that."""


def asked_for(headers: Iterable[tuple[bytes, bytes]]) -> Language | None:
    """Return the preferred one of our languages; None if any will do, or none is ours."""
    lines = [value for name, value in headers if name == b"accept-language"]
    return wanted(b",".join(lines)[:LONGEST].decode("latin-1")) if lines else None


@lru_cache(maxsize=256)
def wanted(header: str) -> Language | None:
    """`de-AT` asks for `de` too, and `*` for any."""
    ranges = [_range(part.strip()) for part in header.lower().split(",")]
    for weight, name in sorted(ranges, key=lambda each: -each[0]):
        if weight == 0 or name == "*":
            return None
        if found := LANGUAGES.get(name) or LANGUAGES.get(name.partition("-")[0]):
            return found
    return None


def _range(part: str) -> tuple[float, str]:
    """Return the weight, or 0 for what is malformed, and the name."""
    name, _, parameter = map(str.strip, part.partition(";"))
    try:
        weight = float(parameter[2:]) if parameter.startswith("q=") else float(not parameter)
    except ValueError:
        weight = 0.0
    return weight if 0 < weight <= 1 else 0.0, name
