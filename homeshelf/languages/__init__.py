"""The languages of Homeshelf, and the language of the current reader."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Language:
    code: str
    """As in `lang` and `Accept-Language`, and the name of its catalogue."""
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


def reader_language() -> Language:
    """Return the language of the current request or letter."""
    return _READER.get()


def answer_in(language: Language) -> None:
    """Set the language of the current request."""
    _READER.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    before = _READER.set(language)
    try:
        yield
    finally:
        _READER.reset(before)


_READER: ContextVar[Language] = ContextVar("reader's language", default=ENGLISH)
