"""What a thing looks like, by its name.

All our languages are tried in one order, whatever the family speaks, so that everybody sees the
same.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache

from homeshelf.pictures.emoji import leading_emoji
from homeshelf.pictures.names import Names, folded, names

REMEMBERED = 4000
"""So many names are looked up once; more than that are not in one home."""
LONGEST_PHRASE = 5
SHORTEST_BEGINNING = 5
"""Of a compound word: shorter ones begin too many words that have nothing to do with them."""
SHORTEST_REST = 3
LONGEST_PART = 20


def shown_picture(name: str, chosen: str | None = None) -> str:
    """The one that somebody chose, or what the name looks like; nothing where nothing fits."""
    return chosen or picture_of(name)


@lru_cache(maxsize=REMEMBERED)
def picture_of(name: str) -> str:
    """One emoji, or nothing: the one that the name begins with, or else what it looks like by the
    whole of it, then its last word, then the others.

    What comes before "of", "de" or "mit" says more than what follows: "lait d'avoine" is milk.
    """
    if own := leading_emoji(name):
        return own
    known, parts = names(), folded(name)
    heads = [number for number, word in enumerate(parts) if word not in _LINKS]
    for run in _runs(heads):
        order = run if _leads(parts[run[0]]) else run[::-1]
        if found := _by_phrase(known, parts, order) or _by_word(known, parts, order):
            return found
    for number in reversed(heads):
        if found := _by_beginning(known, parts[number]):
            return found
    return ""


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Those that follow each other, together."""
    run: list[int] = []
    for number in numbers:
        if run and number > run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _leads(word: str) -> bool:
    """In Arabic the thing comes first, and what is said of it follows."""
    return "\u0600" <= word[:1] <= "\u06ff"


def _by_phrase(known: Names, parts: Sequence[str], starts: Sequence[int]) -> str:
    """Several words that stand for one thing, the longest first."""
    for length in range(min(LONGEST_PHRASE, len(parts)), 1, -1):
        for start in starts:
            if found := _phrase(known, parts[start : start + length], length):
                return found
    return ""


def _phrase(known: Names, parts: Sequence[str], length: int) -> str:
    """In the plural, one word of it is: "pommes de terre", "toilet rolls"."""
    if len(parts) == length:
        first, *between, last = parts
        for head in _singulars(first):
            for tail in _singulars(last):
                if found := known.pictures.get(" ".join((head, *between, tail))):
                    return found
    return ""


def _by_word(known: Names, parts: Sequence[str], order: Sequence[int]) -> str:
    for word in (parts[number] for number in order):
        if found := _first(known, [word], known.pictures) or _by_ending(known, word):
            return found
    return ""


def _by_ending(known: Names, word: str) -> str:
    """What a compound word is: "Hafermilch" is milk."""
    ends = range(max(SHORTEST_REST, len(word) - LONGEST_PART), len(word) - 1)
    return _first(known, (word[at:] for at in ends), known.endings)


def _by_beginning(known: Names, word: str) -> str:
    """Rather an apple for "Apfelmus" than its letter."""
    ends = range(min(LONGEST_PART, len(word) - SHORTEST_REST), SHORTEST_BEGINNING - 1, -1)
    return _first(known, (word[:at] for at in ends), known.endings, SHORTEST_BEGINNING - 1)


def _first(known: Names, words: Iterable[str], among: Container[str], shortest: int = 1) -> str:
    """Of the first word that is among them, or is the plural of one."""
    for word in words:
        for form in _singulars(word):
            if len(form) >= shortest and form in among:
                return known.pictures[form]
    return ""


def _singulars(word: str) -> Iterator[str]:
    """The word, and what it may be the plural of in one of our languages."""
    yield word
    for ending, instead in _PLURALS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_REST:
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
"""Words between things, in all our languages."""
