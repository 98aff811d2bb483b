"""Parse typed text into names, quantities and notes; `js/shopping/typing` has the same rules."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from homeshelf.folding import plain
from homeshelf.shopping.amounts import (
    COUNT,
    DIGIT,
    count_in,
    has_letter,
    is_amount,
    parse_amount,
)
from homeshelf.shopping.units import NO_THINGS, fold_word
from homeshelf.web.body import is_visible

MAX_PARSED_LENGTH = 150


@dataclass(frozen=True)
class ParsedEntry:
    name: str
    quantity: int | None = None
    notes: str | None = None
    """An amount that is not a count, such as "500 g"."""


def parse_entries(text: str, known_names: Collection[str] = ()) -> list[ParsedEntry]:
    """Parse the entries of a text; `known` are folded names, which are never split."""
    return [_parse_entry(part, known_names) for part in split_entries(text)]


def count_in_unit(entry: ParsedEntry, unit: str | None) -> ParsedEntry:
    """Make "milk 2 l" two of an item that is counted in litres."""
    count = None if entry.quantity else count_in(unit, entry.notes)
    return replace(entry, quantity=count, notes=None) if count else entry


def split_entries(text: str) -> list[str]:
    """Split a text; an amount after a comma, as in "Nappies size 4, 44", stays with its name."""
    pieces = ["\n", *_SEPARATOR.split(_DIRECTIONS.sub("", text))]
    parts: list[str] = []
    may_join = False
    for separator, piece in zip(pieces[::2], pieces[1::2], strict=True):
        part = " ".join(piece.split())
        if may_join and separator in _COMMAS and is_amount(part):
            parts[-1] += f", {part}"
            may_join = False
        elif part:
            parts.append(part)
            may_join = has_letter(part)
    bullets = _BULLETS_OF_MANY if len(parts) > 1 else _BULLETS
    return [bullets.sub("", part) for part in parts]


def remove_invisible(text: str) -> str:
    pieces = _SEPARATOR_CHARACTER.split(text)
    return "".join(piece for at, piece in enumerate(pieces) if at % 2 or is_visible(piece))


def fold_name(name: str) -> str:
    """Return the name without case, accents and extra spaces, for comparison."""
    return plain(" ".join(name.split()))


def _parse_entry(text: str, known_names: Collection[str]) -> ParsedEntry:
    if len(text) > MAX_PARSED_LENGTH or fold_name(text) in known_names:
        return ParsedEntry(text)
    if after := _AFTER_COMMA.fullmatch(text):
        return _add_amount(_parse_entry(after["name"], known_names), after["amount"], text)
    for quantity, name in _split_counts(text):
        if fold_name(name) in known_names:
            return ParsedEntry(name, quantity)
    return _parse_unknown(text, known_names)


def _add_amount(entry: ParsedEntry, amount: str, text: str) -> ParsedEntry:
    """Return the entry with an amount; if it has one already, the whole text is the name."""
    measured = parse_amount(f"{entry.name} {amount}")
    count = int(amount) if _COUNT.fullmatch(amount) else measured and measured.pieces
    if count and not entry.quantity:
        return replace(entry, quantity=count)
    if measured and not count and not entry.notes:
        return replace(entry, notes=measured.text)
    return ParsedEntry(text)


def _parse_unknown(text: str, known_names: Collection[str]) -> ParsedEntry:
    quantity, rest = next(_split_multiples(text), (None, text))
    notes, amount = None, parse_amount(rest)
    if amount and amount.pieces and not quantity:
        return ParsedEntry(amount.of, amount.pieces)
    if amount:
        notes, rest = amount.text, amount.of
    if quantity is None:
        quantity, rest = _split_count(rest, known_names)
    return ParsedEntry(rest, quantity, notes)


def _split_counts(text: str) -> Iterator[tuple[int, str]]:
    yield from _split_multiples(text)
    for form in (_NUMBER_FIRST, _NUMBER_LAST):
        if found := form.fullmatch(text):
            yield int(found["number"]), found["name"]


def _split_multiples(text: str) -> Iterator[tuple[int, str]]:
    for form in _TIMES_FORMS:
        if found := form.fullmatch(text):
            yield int(found["number"]), found["name"]


def _split_count(text: str, known_names: Collection[str]) -> tuple[int | None, str]:
    """Parse "2 milk", and "milk 2" if milk is known."""
    found = _NUMBER_FIRST.fullmatch(text)
    if found and has_letter(found["name"]) and fold_word(found["name"].split()[0]) not in NO_THINGS:
        return int(found["number"]), found["name"]
    found = _NUMBER_LAST.fullmatch(text)
    if found and fold_name(found["name"]) in known_names:
        return int(found["number"]), found["name"]
    return None, text


_SEPARATOR = re.compile(
    rf"([\r\n\u2028\u2029;\u061b\u3001\uff0c]|(?<!{DIGIT})[,\u060c]|[,\u060c](?!{DIGIT}))"
)
"""Separators of entries; a comma between digits is a decimal comma: "1,5 l milk"."""
_COMMAS = ",\u060c"
_AFTER_COMMA = re.compile(r"(?P<name>.+), (?P<amount>.+)")
_SEPARATOR_CHARACTER = re.compile(r"([\r\n\t\u2028\u2029;\u061b\u3001\uff0c,\u060c])")
_DIRECTIONS = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Invisible direction marks, which come with pasted Arabic."""
_MARKS = rf"[-*•·\u2013\u2014‣◦▪☐☑✓✔]|\[[ xX]?\]|{DIGIT}{{1,3}}[.)]"
_BULLETS = re.compile(rf"^(?:(?:{_MARKS}|{DIGIT}{{1,3}}-(?! +{DIGIT})) +)+")
"""Bullets at the start of a line; in a single entry, "2- 3 onions" is a range."""
_BULLETS_OF_MANY = re.compile(rf"^(?:(?:{_MARKS}|{DIGIT}{{1,3}}-) +)+")
_X = r"[x\u00d7]"
_COUNT = re.compile(COUNT)
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
