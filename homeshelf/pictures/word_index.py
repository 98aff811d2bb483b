"""The index from words to pictures, read on first use."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from homeshelf.folding import plain
from homeshelf.pictures import emoji

FOLDER = Path(__file__).parent / "words"
LANGUAGES = ("en", "de", "fr", "es", "sv", "ar")
COMPOUND_LANGUAGES = ("en", "de", "sv")
MIN_ENDING = 4
"""The shortest matched ending, unless a line of ours allows a shorter one with a `-`."""


@dataclass(frozen=True)
class WordIndex:
    pictures: dict[str, str]
    endings: frozenset[str]
    """Words that may end a compound word."""


@cache
def word_index() -> WordIndex:
    """Return the index. Our own words come first: Unicode names are seldom everyday words."""
    rows = [*_own_words(), *_unicode_words()]
    pictures: dict[str, str] = {}
    endings = set()
    # folding all names as one text takes a fifth of the time
    texts = plain("\n".join(name for _, _, name in rows)).split("\n")
    for (language, picture, _), text in zip(rows, texts, strict=True):
        word = " ".join(_split_words(text))
        pictures.setdefault(word, picture)
        if text.startswith("-") or (language in COMPOUND_LANGUAGES and len(word) >= MIN_ENDING):
            endings.add(word)
    return WordIndex(pictures, frozenset(endings))


def split_name(name: str) -> list[str]:
    return _split_words(plain(name))


def _own_words() -> Iterator[tuple[str, str, str]]:
    for language in LANGUAGES:
        for line in (FOLDER / f"{language}.txt").read_text("utf-8").splitlines():
            picture, _, names = line.partition(" ")
            for name in names.split(","):
                yield language, picture, name.strip()


def _unicode_words() -> Iterator[tuple[str, str, str]]:
    things = (FOLDER / "things.txt").read_text("utf-8").split()
    for language in emoji.LANGUAGES:
        for picture, names in emoji.emoji_names(things, language).items():
            for name in names:
                yield language, picture, name


def _split_words(text: str) -> list[str]:
    return [_without_article(word) for word in _WORD.findall(text.translate(_ARABIC_LETTERS))]


def _without_article(word: str) -> str:
    return word[2:] if word.startswith("\u0627\u0644") and len(word) > 4 else word


_WORD = re.compile(r"[^\W\d_]+")
_ARABIC_LETTERS = str.maketrans("\u0629\u0649", "\u0647\u064a", "\u0640")
"""Letters with two spellings at the end of a word, and the line that only stretches a word."""
