"""Parsing of what people type: names, quantities and notes. `js/typing` has the same rules for
phones without a signal; the same test cases hold both to them."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from homeshelf.folding import plain
from homeshelf.shopping.amounts import COUNT, DIGIT, amount_in, has_letter
from homeshelf.shopping.units import NO_THINGS, word
from homeshelf.web.body import is_visible

LONGEST = 150
"""Longer text is no entry, and is not parsed."""


@dataclass(frozen=True)
class TypedEntry:
    name: str
    quantity: int | None = None
    notes: str | None = None
    """An amount that is no count: "500 g"."""


def understood(text: str, known: Collection[str] = ()) -> list[TypedEntry]:
    """Parse the entries of a text, between commas and line breaks. Names in `known`, as `folded`,
    are taken as they are, and a number behind one is its quantity; elsewhere an ambiguous number
    stays in the name."""
    return [_entry(part, known) for part in parted(text)]


def parted(text: str) -> list[str]:
    parts = [" ".join(part.split()) for part in _BETWEEN.split(_DIRECTIONS.sub("", text))]
    parts = [part for part in parts if part]
    bullets = _BULLETS_OF_MANY if len(parts) > 1 else _BULLETS
    return [bullets.sub("", part) for part in parts]


def without_unseen(text: str) -> str:
    """Leave out invisible entries: a pasted list may have a line of such a character alone."""
    pieces = _SEPARATORS.split(text)
    return "".join(piece for at, piece in enumerate(pieces) if at % 2 or is_visible(piece))


def folded(name: str) -> str:
    """Return the form in which names that differ in case and accents are equal."""
    return plain(" ".join(name.split()))


def _entry(text: str, known: Collection[str]) -> TypedEntry:
    if len(text) > LONGEST or folded(text) in known:
        return TypedEntry(text)
    for quantity, name in _counts(text):
        if folded(name) in known:
            return TypedEntry(name, quantity)
    return _apart(text, known)


def _apart(text: str, known: Collection[str]) -> TypedEntry:
    quantity, rest = next(_times(text), (None, text))
    notes, amount = None, amount_in(rest)
    if amount and amount.pieces and not quantity:
        return TypedEntry(amount.of, amount.pieces)
    if amount:
        notes, rest = amount.text, amount.of
    if quantity is None:
        quantity, rest = _counted(rest, known)
    return TypedEntry(rest, quantity, notes)


def _counts(text: str) -> Iterator[tuple[int, str]]:
    yield from _times(text)
    for form in (_NUMBER_FIRST, _NUMBER_LAST):
        if found := form.fullmatch(text):
            yield int(found["number"]), found["name"]


def _times(text: str) -> Iterator[tuple[int, str]]:
    """ "2x milk", "milk x2", "milk 2x"."""
    for form in _TIMES_FORMS:
        if found := form.fullmatch(text):
            yield int(found["number"]), found["name"]


def _counted(text: str, known: Collection[str]) -> tuple[int | None, str]:
    """ "2 milk", and "milk 2" where milk is known."""
    found = _NUMBER_FIRST.fullmatch(text)
    if found and has_letter(found["name"]) and word(found["name"].split()[0]) not in NO_THINGS:
        return int(found["number"]), found["name"]
    found = _NUMBER_LAST.fullmatch(text)
    if found and folded(found["name"]) in known:
        return int(found["number"]), found["name"]
    return None, text


_BETWEEN = re.compile(
    rf"[\r\n\u2028\u2029;\u061b\u3001\uff0c]|(?<!{DIGIT})[,\u060c]|[,\u060c](?!{DIGIT})"
)
"""A comma between digits is a decimal one, as most of Europe writes it: "1,5 l milk"."""
_SEPARATORS = re.compile(r"([\r\n\t\u2028\u2029;\u061b\u3001\uff0c,\u060c])")
_DIRECTIONS = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Which way text runs: marks that nobody sees or types, around pasted Arabic."""
_MARKS = rf"[-*•·\u2013\u2014‣◦▪☐☑✓✔]|\[[ xX]?\]|{DIGIT}{{1,3}}[.)]"
_BULLETS = re.compile(rf"^(?:(?:{_MARKS}|{DIGIT}{{1,3}}-(?! +{DIGIT})) +)+")
"""Alone, "2- 3 onions" are two or three."""
_BULLETS_OF_MANY = re.compile(rf"^(?:(?:{_MARKS}|{DIGIT}{{1,3}}-) +)+")
_X = r"[x\u00d7]"
_NUMBER = rf"(?P<number>{COUNT})"
_TIMES_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NUMBER} ?{_X} (?P<name>.+)",
        rf"(?P<name>.+) {_X} ?{_NUMBER}",
        rf"(?P<name>.+) {_NUMBER} ?{_X}",
    )
]
_NUMBER_FIRST = re.compile(rf"{_NUMBER} (?P<name>.+)")
_NUMBER_LAST = re.compile(rf"(?P<name>.+) {_NUMBER}")
