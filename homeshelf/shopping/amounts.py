import re
from dataclasses import dataclass

from homeshelf.shopping.units import (
    FIRST_WORDS,
    HALVES,
    LONGEST_NUMBER,
    NO_CONTENTS,
    NUMBERS,
    OF,
    PIECES,
    SHORT_MEASURES,
    UNITS,
    UNITS_OF,
    word,
)

DIGIT = r"[0-9\u0660-\u0669]"
COUNT = rf"[1-9\u0661-\u0669]{DIGIT}{{0,2}}"


@dataclass(frozen=True)
class Amount:
    of: str
    """The name of the thing."""
    text: str
    pieces: int | None = None


@dataclass(frozen=True)
class _Said:
    text: str
    unit: str
    pieces: int | None = None


def amount_in(text: str) -> Amount | None:
    """ "500 g mince", "mince 500 g", "une botte de radis", "2-3 onions"; "3 pcs lemons"."""
    return _in_figures(text) or _in_words(text) or _behind(text) or _range(text)


def has_letter(text: str) -> bool:
    return _LETTER.search(text) is not None


def _in_figures(text: str) -> Amount | None:
    found = _FIGURES.match(text)
    said = _measured(found) if found else None
    return _before_name(said, text[found.end() :], UNITS) if found and said else None


def _in_words(text: str) -> Amount | None:
    """ "ein Bund Dill"; without any number "bunch of dill", "Bund Dill" and "علبة تونة"."""
    words = text.split(" ")
    for length in range(min(LONGEST_NUMBER, len(words) - 2), -1, -1):
        number, unit, rest = words[:length], words[length], " ".join(words[length + 1 :])
        if word(unit) in SHORT_MEASURES or (number and word(" ".join(number)) not in NUMBERS):
            continue
        said = _Said(" ".join([*number, unit]), unit)
        found = _before_name(said, rest, UNITS if number else FIRST_WORDS)
        if found and (number or _may_follow_alone(unit, found.of)):
            return found
    return None


def _may_follow_alone(unit: str, name: str) -> bool:
    """Behind a unit without a number, figures may mean anything, and a piece is a thing."""
    return word(unit) not in PIECES and not _DIGITS.search(name.split(" ", maxsplit=1)[0])


def _before_name(said: _Said, after: str, units: frozenset[str]) -> Amount | None:
    half, rest = _halved(after)
    of = (_OF_SHOUTED if rest == rest.upper() else _OF).match(rest)
    name = rest[of.end() :] if of else rest
    is_unit = word(said.unit) in (UNITS_OF if of else units)
    if not is_unit or not has_letter(name) or word(name.split(" ")[0]) in NO_CONTENTS:
        return None
    return Amount(name, f"{said.text} {half}" if half else said.text, said.pieces)


def _halved(rest: str) -> tuple[str, str]:
    words = rest.split(" ")
    for length in range(min(3, len(words) - 1), 0, -1):
        said = " ".join(words[:length])
        if word(said) in HALVES:
            return said, " ".join(words[length:])
    return "", rest


def _behind(text: str) -> Amount | None:
    """ "mince 500 g", "lemons 3 pcs"; "pack of 6 rolls" is a name."""
    found = _LAST.search(text)
    said = _measured(found) if found else None
    if not found or not said or word(said.unit) not in UNITS:
        return None
    name = text[: found.start()]
    before = word(name.split(" ")[-1])
    if not has_letter(name) or before in OF or before in NO_CONTENTS:
        return None
    return Amount(name, said.text, said.pieces)


def _measured(found: re.Match[str]) -> _Said | None:
    amount, unit = found["amount"], found["unit"]
    text = amount + (found["between"] or " ") + unit
    if word(unit) not in PIECES:
        return _Said(text, unit)
    return _Said(text, unit, int(amount)) if _COUNT.fullmatch(amount) else None


def _range(text: str) -> Amount | None:
    found = _RANGE.match(text)
    name = text[found.end() :] if found else ""
    return Amount(name, found["amount"]) if found and has_letter(name) else None


_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(DIGIT)
_COUNT = re.compile(COUNT)
_DECIMAL = rf"{DIGIT}{{1,5}}(?:[.,\u066b\u066c\u060c]{DIGIT}{{1,3}})?"
_FRACTION = r"[\u00bd\u00bc\u00be\u2153\u2154]"
_AMOUNT = (
    rf"(?P<amount>{DIGIT}{{1,3}} ?{_FRACTION}|{_FRACTION}"
    rf"|(?:{DIGIT}{{1,2}} )?{DIGIT}{{1,2}}/{DIGIT}{{1,2}}|{DIGIT}{{1,3}}(?: {DIGIT}{{3}}){{1,2}}"
    rf"|{DIGIT}{{1,3}}er|{_DECIMAL}(?: ?[-\u2013] ?{_DECIMAL})?)"
)
_UNIT = r"(?P<between>[ -]?)(?P<unit>[^ 0-9\u0660-\u0669]+)"
_FIGURES = re.compile(rf"{_AMOUNT}{_UNIT} ")
_LAST = re.compile(rf" {_AMOUNT}{_UNIT}$")
_RANGE = re.compile(rf"(?P<amount>{DIGIT}{{1,3}} ?[-\u2013] ?{DIGIT}{{1,3}}) ")
_OF = re.compile(
    r"(?:de l['\u2019]|d['\u2019]|(?:of|von|vom|de la|de los|de las|del|des|du|de|av|من) )(?=.)"
)
"""Case counts, because "De Cecco" is a name."""
_OF_SHOUTED = re.compile(_OF.pattern, re.IGNORECASE)
