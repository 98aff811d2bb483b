"""Parser for stocktaking text: each line has an item, a count and a place.

Examples are "Milk 2 bottles, fridge" and "Fridge:", a heading for the lines below. The page's
script has the same rules; `tests/stocktaking/lines.json` tests both.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from homeshelf.shopping.amounts import DIGIT, count_in, has_letter
from homeshelf.shopping.entry_parser import fold_name, parse_entries, split_entries
from homeshelf.shopping.units import BEFORE_NUMBERS, MEASURES, PIECES, UNITS_OF, fold_word


@dataclass(frozen=True)
class Line:
    name: str
    count: int = 1
    unit: str | None = None
    """The unit of the count, such as "bottles"; None for single pieces."""
    notes: str | None = None
    """The content of each, such as "500 g"."""
    place: str | None = None
    written: int = 1
    """The number of lines that were added up."""


@dataclass(frozen=True)
class Names:
    """The names that the family uses, as `fold_name` returns them."""

    items: Mapping[str, str | None] = field(default_factory=dict)
    """Their units."""
    places: Sequence[str] = ()
    unit: str | None = None
    """The chosen unit of new items."""


NO_NAMES = Names()


@dataclass(frozen=True)
class _Part:
    name: str
    count: int | None = None
    unit: str | None = None
    notes: str | None = None


def parse_lines(text: str, names: Names = NO_NAMES, place: str | None = None) -> list[Line]:
    """Return each item once, with repeated lines added up. `place` is the first heading."""
    found: dict[tuple[str | None, ...], Line] = {}
    for line in _parse_lines(text, names, place):
        key = fold_name(line.name), line.unit, line.notes, fold_name(line.place or "")
        first = found.get(key, replace(line, count=0, written=0))
        found[key] = replace(first, count=first.count + line.count, written=first.written + 1)
    return list(found.values())


def _parse_lines(text: str, names: Names, heading: str | None) -> Iterator[Line]:
    for written in _LINE_BREAKS.split(text.replace("\t", ", ")):
        parts = split_entries(written)
        if len(parts) == 1 and (found := _HEADING.fullmatch(parts[0])):
            heading = found["place"]
        else:
            yield from _parse_parts(parts, heading, names)


def _parse_parts(parts: Sequence[str], heading: str | None, names: Names) -> Iterator[Line]:
    """Yield one item with its place, or several items that share a place."""
    found: list[_Part] = []
    is_item = False
    for part in parts:
        more = _add_amount(found[-1], part) if found else None
        is_item = more is None
        if more:
            found[-1] = more
        else:
            found.append(_parse_item(part, names))
    place = heading
    if len(found) > 1 and is_item and _is_place(parts[-1], len(found), names):
        place = parts[-1]
        found.pop()
    for each in found:
        yield _build_line(each, place, names)


def _is_place(part: str, item_count: int, names: Names) -> bool:
    """Check whether a part is a place: any word after one item, a known place after several."""
    name = fold_name(part)
    return name in names.places or (
        item_count == 2 and name not in names.items and not _HAS_DIGIT.search(part)
    )


def _parse_item(text: str, names: Names) -> _Part:
    (entry,) = parse_entries(text, names.items)
    part = _Part(entry.name, entry.quantity)
    added = _add_amount(part, entry.notes) if entry.notes else part
    return added or replace(part, notes=entry.notes)


def _add_amount(part: _Part, amount: str) -> _Part | None:
    """Add a count, a unit or both. "500 g" and what is there already become notes."""
    found = _AMOUNT.fullmatch(amount)
    unit = (found["unit"] or found["alone"]) if found else None
    if not found or (unit and fold_word(unit) not in UNITS_OF):
        return None
    count = int(found["number"]) if found["number"] else None
    is_measure = count and unit and fold_word(unit) in MEASURES
    unit = unit if unit and fold_word(unit) not in PIECES else None
    if not (count or unit):
        return None
    if is_measure or (count and part.count) or (unit and part.unit):
        return replace(part, notes=f"{part.notes}, {amount}" if part.notes else amount)
    return replace(part, count=count or part.count, unit=unit or part.unit)


def _build_line(part: _Part, place: str | None, names: Names) -> Line:
    name, count, unit, notes = part.name, part.count, part.unit, part.notes
    if not (count or notes) and (last := _find_count(part.name, names)):
        name, count = last["name"], int(last["number"])
    counted_in = names.items.get(fold_name(name), names.unit)
    sum_in_unit = (count or 1) * (count_in(counted_in, notes) or 0)
    if 0 < sum_in_unit < _TOO_MANY:
        count, unit, notes = sum_in_unit, counted_in, None
    return Line(name, count or 1, unit, notes, place)


def _find_count(name: str, names: Names) -> re.Match[str] | None:
    """Find the count of "Milk 2", but none in "Nappies size 4" or a known name."""
    last = _NUMBER_LAST.fullmatch(name)
    if not last or not has_letter(last["name"]) or fold_name(name) in names.items:
        return None
    before = last["name"].split(" ")[-1]
    return None if before.endswith(",") or fold_word(before) in BEFORE_NUMBERS else last


_TOO_MANY = 1_000_000
_LINE_BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
_HEADING = re.compile(r"(?P<place>.+?) ?[:\uff1a]")
_COUNT = rf"[1-9\u0661-\u0669]{DIGIT}{{0,4}}"
_WORD = r"[^ 0-9\u0660-\u0669]+"
_AMOUNT = re.compile(rf"(?P<number>{_COUNT})(?:[ -]?(?P<unit>{_WORD}))?|(?P<alone>{_WORD})")
_NUMBER_LAST = re.compile(rf"(?P<name>.+) (?P<number>[1-9\u0661-\u0669]{DIGIT}?)")
"""A number after the name, at most 99: the one in "Type 405" is a kind of flour."""
_HAS_DIGIT = re.compile(DIGIT)
