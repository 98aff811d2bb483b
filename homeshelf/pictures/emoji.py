"""Emoji and their names, read from the files of the package `emoji` to save memory."""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")

LANGUAGES = ("en", "de", "fr", "es", "ar")
"""Our languages that the package has, in the order of the lookup."""
COMPONENT = 1
"""The status of a part of an emoji, such as a skin colour."""


class _Emoji(msgspec.Struct):
    en: str
    status: int
    alias: tuple[str, ...] = ()


def is_one_emoji(text: str) -> bool:
    """Check for a single emoji of Unicode, including families, flags, keycaps and skin colours."""
    return text in _all_emoji()


def leading_emoji(text: str) -> str:
    """Return the whole emoji at the beginning of a text, such as a family of four."""
    begins = text.lstrip()
    found = (begins[:length] for length in range(_max_length(), 0, -1))
    return next(filter(is_one_emoji, found), "")


def emoji_names(texts: Iterable[str], language: str) -> dict[str, tuple[str, ...]]:
    """Return the names of emoji in a language, such as `glass of milk`."""
    if language == "en":
        found = _read("emoji", dict[str, _Emoji])
        return {
            text: tuple(map(_plain_name, (found[text].en, *found[text].alias))) for text in texts
        }
    names = _read(f"emoji_{language}", dict[str, str])
    return {text: (_plain_name(names[text]),) for text in texts if text in names}


@cache
def _all_emoji() -> frozenset[str]:
    found = _read("emoji", dict[str, _Emoji])
    return frozenset(text for text, entry in found.items() if entry.status != COMPONENT)


@cache
def _max_length() -> int:
    return max(map(len, _all_emoji()))


def _read(name: str, kind: type[T]) -> T:
    spec = find_spec("emoji")
    if spec is None or spec.origin is None:
        raise LookupError("the package `emoji` is missing")
    path = Path(spec.origin).parent / "unicode_codes" / f"{name}.json"
    return msgspec.json.decode(path.read_bytes(), type=kind)


def _plain_name(name: str) -> str:
    """Return `:glass_of_milk:` as "glass of milk"."""
    return name.strip(":").replace("_", " ")
