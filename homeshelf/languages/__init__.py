"""The languages of Homeshelf, and the language of the current reader."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal


@dataclass(frozen=True)
class Language:
    code: str
    """The value of `lang` and `Accept-Language`, and the name of the catalogue."""
    name: str
    direction: Literal["ltr", "rtl"] = "ltr"

    @property
    def is_rtl(self) -> bool:
        return self.direction == "rtl"


ENGLISH = Language("en", "English")
LANGUAGES = {
    each.code: each
    for each in (
        ENGLISH,
        Language("de", "Deutsch"),
        Language("es", "Español"),
        Language("fr", "Français"),
        Language("sv", "Svenska"),
        Language("ar", "العربية", "rtl"),
    )
}

LONGEST_HEADER = 500
"""The bytes of the header to read; browsers send a tenth of them."""


def reader_language() -> Language:
    return _READER.get()


def set_reader_language(language: Language) -> None:
    _READER.set(language)


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    before = _READER.set(language)
    try:
        yield
    finally:
        _READER.reset(before)


_READER: ContextVar[Language] = ContextVar("reader's language", default=ENGLISH)


def requested_language(headers: Iterable[tuple[bytes, bytes]]) -> Language | None:
    """Return the preferred supported language; None for any, or if none is supported."""
    lines = [value for name, value in headers if name == b"accept-language"]
    return best_language(b",".join(lines)[:LONGEST_HEADER].decode("latin-1")) if lines else None


@lru_cache(maxsize=256)
def best_language(header: str) -> Language | None:
    """Return the best language for an `Accept-Language` header; `de-AT` also accepts `de`."""
    ranges = [_parse_range(part.strip()) for part in header.lower().split(",")]
    for weight, name in sorted(ranges, key=lambda each: -each[0]):
        if weight == 0 or name == "*":
            return None
        if found := LANGUAGES.get(name) or LANGUAGES.get(name.partition("-")[0]):
            return found
    return None


def _parse_range(part: str) -> tuple[float, str]:
    """Return the weight, 0 if malformed, and the name of a language range."""
    name, _, parameter = map(str.strip, part.partition(";"))
    try:
        weight = float(parameter[2:]) if parameter.startswith("q=") else float(not parameter)
    except ValueError:
        weight = 0.0
    return weight if 0 < weight <= 1 else 0.0, name
