"""Which emoji there are, and what they are called, as the package `emoji` has it.

Its files are read without importing it: that would keep all names of all emoji in memory, several
times of what the whole of this needs.
"""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")

LANGUAGES = ("en", "de", "fr", "es", "ar")
"""Those of ours that it has, in the order in which they are tried."""
COMPONENT = 1
"""The status of what is only part of an emoji: a colour of skin, a kind of hair."""


class _Emoji(msgspec.Struct):
    en: str
    status: int
    alias: tuple[str, ...] = ()


def is_one_emoji(text: str) -> bool:
    """One of those that Unicode lists: families, flags, keycaps and colours of skin too."""
    return text in _all()


def leading_emoji(text: str) -> str:
    """The one that a text begins with, whole: a family of four is one."""
    begins = text.lstrip()
    found = (begins[:length] for length in range(_longest().get(begins[:1], 0), 0, -1))
    return next(filter(is_one_emoji, found), "")


def names_of(things: Iterable[str], language: str) -> dict[str, tuple[str, ...]]:
    """What these are called in a language: `glass of milk`."""
    if language == "en":
        found = _read("emoji", dict[str, _Emoji])
        return {thing: _called(found[thing]) for thing in things}
    names = _read(f"emoji_{language}", dict[str, str])
    return {thing: (_words(names[thing]),) for thing in things if thing in names}


def _called(about: _Emoji) -> tuple[str, ...]:
    return tuple(map(_words, (about.en, *about.alias)))


@cache
def _all() -> frozenset[str]:
    found = _read("emoji", dict[str, _Emoji])
    return frozenset(text for text, about in found.items() if about.status != COMPONENT)


@cache
def _longest() -> dict[str, int]:
    """How long those are at most that begin with a sign."""
    longest: dict[str, int] = {}
    for text in _all():
        longest[text[0]] = max(len(text), longest.get(text[0], 0))
    return longest


def _read(name: str, kind: type[T]) -> T:
    spec = find_spec("emoji")
    if spec is None or spec.origin is None:
        raise LookupError("the package `emoji` is missing")
    path = Path(spec.origin).parent / "unicode_codes" / f"{name}.json"
    return msgspec.json.decode(path.read_bytes(), type=kind)


def _words(name: str) -> str:
    """`:glass_of_milk:` as people write it."""
    return name.strip(":").replace("_", " ")
