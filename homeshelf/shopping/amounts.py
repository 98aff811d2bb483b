import re
from dataclasses import dataclass

from homeshelf.shopping import units
from homeshelf.shopping.units import fold_word

DIGIT = r"[0-9\u0660-\u0669]"
COUNT = rf"[1-9\u0661-\u0669]{DIGIT}{{0,2}}"


@dataclass(frozen=True)
class Amount:
    of: str
    text: str
    pieces: int | None = None


@dataclass(frozen=True)
class _Measure:
    text: str
    unit: str
    pieces: int | None = None


def parse_amount(text: str) -> Amount | None:
    """Parse "500 g mince", "mince 500 g", "une botte de radis", "2-3 onions" or "3 pcs lemons"."""
    return _parse_digits(text) or _parse_words(text) or _parse_suffix(text) or _parse_range(text)


def is_amount(text: str) -> bool:
    """Check for a count or a measure and nothing else, such as "44" or "500 g"."""
    found = _LAST.fullmatch(f" {text}")
    measure = _read_measure(found) if found else None
    is_measure = measure is not None and fold_word(measure.unit) in units.MEASURES | units.PIECES
    return is_measure or _COUNT.fullmatch(text) is not None


def count_in(unit: str | None, notes: str | None) -> int | None:
    """Return the count of a note such as "2 l", if it is in this unit."""
    found = _COUNTED.fullmatch(notes or "")
    is_same = found and unit and fold_word(found["unit"]) == fold_word(unit)
    return int(found["number"]) if found and is_same else None


def has_letter(text: str) -> bool:
    return _LETTER.search(text) is not None


def _parse_digits(text: str) -> Amount | None:
    found = _FIGURES.match(text)
    measure = _read_measure(found) if found else None
    return _split_name(measure, text[found.end() :], units.UNITS) if found and measure else None


def _parse_words(text: str) -> Amount | None:
    """Parse "ein Bund Dill", and without a number "bunch of dill", "Bund Dill" or "علبة تونة"."""
    words = text.split(" ")
    for length in range(min(units.LONGEST_NUMBER, len(words) - 2), -1, -1):
        number, unit, rest = words[:length], words[length], " ".join(words[length + 1 :])
        is_number = not number or fold_word(" ".join(number)) in units.NUMBERS
        if fold_word(unit) in units.SHORT_MEASURES or not is_number:
            continue
        measure = _Measure(" ".join([*number, unit]), unit)
        found = _split_name(measure, rest, units.UNITS if number else units.FIRST_WORDS)
        if found and (number or _may_lack_number(unit, found.of)):
            return found
    return None


def _may_lack_number(unit: str, name: str) -> bool:
    """Check a unit without a number: pieces and units before digits are ambiguous."""
    first = name.split(" ", maxsplit=1)[0]
    return fold_word(unit) not in units.PIECES and not _DIGITS.search(first)


def _split_name(measure: _Measure, after: str, allowed: frozenset[str]) -> Amount | None:
    half, rest = _split_half(after)
    of = (_OF_SHOUTED if rest == rest.upper() else _OF).match(rest)
    name = rest[of.end() :] if of else rest
    is_unit = fold_word(measure.unit) in (units.UNITS_OF if of else allowed)
    if not is_unit or not has_letter(name) or fold_word(name.split(" ")[0]) in units.NO_CONTENTS:
        return None
    return Amount(name, f"{measure.text} {half}" if half else measure.text, measure.pieces)


def _split_half(rest: str) -> tuple[str, str]:
    words = rest.split(" ")
    for length in range(min(3, len(words) - 1), 0, -1):
        measure = " ".join(words[:length])
        if fold_word(measure) in units.HALVES:
            return measure, " ".join(words[length:])
    return "", rest


def _parse_suffix(text: str) -> Amount | None:
    """Parse "mince 500 g", "mince (500 g)" or "honey 1/2 jar", but not "pack of 6 rolls"."""
    found = _LAST.search(_BRACKETS.sub(r" \1", text))
    measure = _read_measure(found) if found else None
    if not found or not measure or fold_word(measure.unit) not in units.UNITS_OF:
        return None
    name = text[: found.start()]
    before = fold_word(name.split(" ")[-1])
    if not has_letter(name) or before in units.OF or before in units.NO_CONTENTS:
        return None
    return Amount(name, measure.text, measure.pieces)


def _read_measure(found: re.Match[str]) -> _Measure | None:
    amount, unit = found["amount"], found["unit"]
    text = amount + (found["between"] or " ") + unit
    if fold_word(unit) not in units.PIECES:
        return _Measure(text, unit)
    return _Measure(text, unit, int(amount)) if _COUNT.fullmatch(amount) else None


def _parse_range(text: str) -> Amount | None:
    found = _RANGE.match(text)
    name = text[found.end() :] if found else ""
    return Amount(name, found["amount"]) if found and has_letter(name) else None


_COUNTED = re.compile(rf"(?P<number>[1-9\u0661-\u0669]{DIGIT}{{0,4}})[ -]?(?P<unit>[^ \d]+)")
_BRACKETS = re.compile(r" \(([^()]+)\)$")
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
"""The word "of" in all languages; case-sensitive, because "De Cecco" is a name."""
_OF_SHOUTED = re.compile(_OF.pattern, re.IGNORECASE)
