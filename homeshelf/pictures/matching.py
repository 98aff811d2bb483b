"""Matching of item names to emoji, in all languages, so that every member sees the same one."""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from homeshelf.pictures.emoji import leading_emoji
from homeshelf.pictures.word_index import WordIndex, split_name, word_index

CACHE_SIZE = 4000
MAX_PHRASE_WORDS = 5
MIN_PREFIX = 5
"""The shortest matched beginning of a word; shorter ones also begin many unrelated words."""
MIN_REMAINDER = 3
MAX_WORD_PART = 20


def shown_picture(name: str, chosen: str | None = None) -> str:
    return chosen or picture_of(name)


@lru_cache(maxsize=CACHE_SIZE)
def picture_of(name: str) -> str:
    """Return one emoji or "": the first one in the name, or the best match of its words.

    The whole name is tried first, then its last word, then the others. Words before "of", "de" or
    "mit" count more than words after it: "lait d'avoine" is milk.
    """
    if emoji := leading_emoji(name):
        return emoji
    index, parts = word_index(), split_name(name)
    heads = [number for number, word in enumerate(parts) if word not in _LINKS]
    for _, pairs in groupby(enumerate(heads), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]  # consecutive words
        is_arabic = "\u0600" <= parts[run[0]][:1] <= "\u06ff"
        order = run if is_arabic else run[::-1]  # an Arabic noun comes before its attributes
        if found := _match_phrases(index, parts, order) or _match_word(index, parts, order):
            return found
    for number in reversed(heads):
        if found := _match_beginning(index, parts[number]):
            return found
    return ""


def _match_phrases(index: WordIndex, parts: Sequence[str], starts: Sequence[int]) -> str:
    """Match several consecutive words, the longest phrase first."""
    for length in range(min(MAX_PHRASE_WORDS, len(parts)), 1, -1):
        for start in starts:
            if found := _match_phrase(index, parts[start : start + length], length):
                return found
    return ""


def _match_phrase(index: WordIndex, parts: Sequence[str], length: int) -> str:
    """Match a phrase with a plural at either end: "pommes de terre", "toilet rolls"."""
    if len(parts) == length:
        first, *between, last = parts
        for head in _singulars(first):
            for tail in _singulars(last):
                if found := index.pictures.get(" ".join((head, *between, tail))):
                    return found
    return ""


def _match_word(index: WordIndex, parts: Sequence[str], order: Sequence[int]) -> str:
    for word in (parts[number] for number in order):
        if found := _match_first(index, [word], index.pictures) or _match_ending(index, word):
            return found
    return ""


def _match_ending(index: WordIndex, word: str) -> str:
    """Match the end of a compound word: "Hafermilch" is milk."""
    ends = range(max(MIN_REMAINDER, len(word) - MAX_WORD_PART), len(word) - 1)
    return _match_first(index, (word[at:] for at in ends), index.endings)


def _match_beginning(index: WordIndex, word: str) -> str:
    """Match the start of a compound word: an apple for "Apfelmus" is better than its letter."""
    ends = range(min(MAX_WORD_PART, len(word) - MIN_REMAINDER), MIN_PREFIX - 1, -1)
    return _match_first(index, (word[:at] for at in ends), index.endings, MIN_PREFIX - 1)


def _match_first(
    index: WordIndex, words: Iterable[str], among: Container[str], shortest: int = 1
) -> str:
    """Return the picture of the first word that is in `among`, as such or as a plural."""
    for word in words:
        for form in _singulars(word):
            if len(form) >= shortest and form in among:
                return index.pictures[form]
    return ""


def _singulars(word: str) -> Iterator[str]:
    """Yield the word and its possible singulars in all languages."""
    yield word
    for ending, instead in _PLURALS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_REMAINDER:
            yield word[: -len(ending)] + instead
    if any(pair in word for pair in ("ae", "oe", "ue")):
        yield word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


_PLURALS = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ves", "f"),
    ("n", ""),
    ("en", ""),
    ("e", ""),
    ("er", ""),
    ("x", ""),
    ("ces", "z"),
    ("ar", ""),
    ("or", "a"),
    ("et", ""),
    ("\u0627\u062a", ""),
    ("\u0627\u062a", "\u0647"),
)
_LINKS = frozenset(
    {"a", "and", "for", "from", "in", "of", "or", "with", "without"}
    | {"aus", "fur", "mit", "oder", "ohne", "und", "vom", "von"}
    | {"au", "aux", "avec", "d", "de", "des", "du", "en", "et", "l", "la", "le", "les", "ou"}
    | {"pour", "sans", "al", "con", "del", "el", "las", "los", "o", "para", "sin", "y"}
    | {"av", "eller", "i", "med", "och", "till", "utan"}
)
"""Words between nouns, in all languages."""
