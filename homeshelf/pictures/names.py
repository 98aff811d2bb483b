"""The words that pictures are found by, read when the first is asked for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from homeshelf.folding import plain
from homeshelf.pictures import emoji

FOLDER = Path(__file__).parent / "words"
LANGUAGES = ("en", "de", "fr", "es", "sv", "ar")
"""In the order in which they are tried."""
COMPOUNDING = ("en", "de", "sv")
"""Where words are written as one."""
SHORTEST_ENDING = 4
"""Shorter ones end too much else, unless a line of ours says with a `-` that they count."""


@dataclass(frozen=True)
class Names:
    pictures: dict[str, str]
    endings: frozenset[str]
    """Those that a compound word may end with."""


@cache
def names() -> Names:
    """Ours come first: what Unicode calls an emoji is seldom what people call the thing."""
    rows = [*_ours(), *_listed()]
    pictures: dict[str, str] = {}
    endings = set()
    # folding all of them as one text takes a fifth of the time
    texts = plain("\n".join(name for _, _, name in rows)).split("\n")
    for (language, picture, _), text in zip(rows, texts, strict=True):
        word = " ".join(_words(text))
        pictures.setdefault(word, picture)
        if text.startswith("-") or (language in COMPOUNDING and len(word) >= SHORTEST_ENDING):
            endings.add(word)
    return Names(pictures, frozenset(endings))


def folded(name: str) -> list[str]:
    """Its words without case, accents, digits and signs."""
    return _words(plain(name))


def _ours() -> Iterator[tuple[str, str, str]]:
    for language in LANGUAGES:
        for line in (FOLDER / f"{language}.txt").read_text("utf-8").splitlines():
            picture, _, said = line.partition(" ")
            for name in said.split(","):
                yield language, picture, name.strip()


def _listed() -> Iterator[tuple[str, str, str]]:
    things = (FOLDER / "things.txt").read_text("utf-8").split()
    for language in emoji.LANGUAGES:
        for picture, said in emoji.names_of(things, language).items():
            for name in said:
                yield language, picture, name


def _words(text: str) -> list[str]:
    return [_without_article(word) for word in _WORD.findall(text.translate(_ARABIC_LETTERS))]


def _without_article(word: str) -> str:
    return word[2:] if word.startswith("\u0627\u0644") and len(word) > 4 else word


_WORD = re.compile(r"[^\W\d_]+")
_ARABIC_LETTERS = str.maketrans("\u0629\u0649", "\u0647\u064a", "\u0640")
"""Written either way at the end of a word; and the line that only makes it longer."""
