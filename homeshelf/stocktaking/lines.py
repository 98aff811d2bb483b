"""Parser for stocktaking text: each line has an item, a count and a place.

Examples are "Milk 2 l, fridge" and "Fridge:", a heading for the lines below. The page's script has
the same rules; `tests/stocktaking/lines.json` tests both.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from homeshelf.shopping.amounts import DIGIT, has_letter
from homeshelf.shopping.entry_parser import fold_name, parse_entries, split_entries
from homeshelf.shopping.units import PIECES, UNITS_OF, fold_word


@dataclass(frozen=True)
class Line:
    name: str
    count: int = 1
    unit: str | None = None
    """The unit of the count, such as "l" or "500 g"; None for single pieces."""
    place: str | None = None


@dataclass(frozen=True)
class Names:
    """The names that the family uses, as `folded` returns them."""

    items: Collection[str] = ()
    places: Collection[str] = ()


NO_NAMES = Names()


def parse_lines(text: str, names: Names = NO_NAMES, place: str | None = None) -> list[Line]:
    """Return each item once, with repeated lines added up. `place` is the first heading."""
    found: dict[tuple[str, str | None], Line] = {}
    for line in _parse_lines(text, names, place):
        key = fold_name(line.name), line.unit
        first = found.get(key)
        found[key] = replace(first, count=first.count + line.count) if first else line
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
    found: list[Line] = []
    for part in parts:
        count, unit = _parse_amount(part)
        if found and (count or unit):
            last = found[-1]
            found[-1] = replace(last, count=count or last.count, unit=unit or last.unit)
        else:
            found.append(_parse_item(part, names.items))
    place = heading
    if len(found) > 1 and _is_place(parts[-1], len(found), names):
        place = parts[-1]
        found.pop()
    for line in found:
        yield replace(line, place=place)


def _is_place(part: str, item_count: int, names: Names) -> bool:
    """Check whether a part is a place: any word after one item, a known place after several."""
    name = fold_name(part)
    return name in names.places or (
        item_count == 2 and name not in names.items and not _HAS_DIGIT.search(part)
    )


def _parse_item(text: str, item_names: Collection[str]) -> Line:
    (entry,) = parse_entries(text, item_names)
    if entry.quantity:
        return Line(entry.name, entry.quantity, entry.notes)
    if entry.notes:
        count, unit = _parse_amount(entry.notes)
        return Line(entry.name, count or 1, unit if count else entry.notes)
    last = _NUMBER_LAST.fullmatch(entry.name)
    if last and has_letter(last["name"]) and fold_name(entry.name) not in item_names:
        return Line(last["name"], int(last["number"]))
    return Line(entry.name)


def _parse_amount(text: str) -> tuple[int | None, str | None]:
    """Parse a count, a unit or both, and nothing else. Pieces need no unit."""
    found = _AMOUNT.fullmatch(text)
    unit = found and (found["unit"] or found["alone"])
    if not found or (unit and fold_word(unit) not in UNITS_OF):
        return None, None
    number = found["number"]
    return int(number) if number else None, unit if unit and fold_word(unit) not in PIECES else None


_LINE_BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
_HEADING = re.compile(r"(?P<place>.+?) ?[:\uff1a]")
_COUNT = rf"[1-9\u0661-\u0669]{DIGIT}{{0,4}}"
_WORD = r"[^ 0-9\u0660-\u0669]+"
_AMOUNT = re.compile(rf"(?P<number>{_COUNT})(?:[ -]?(?P<unit>{_WORD}))?|(?P<alone>{_WORD})")
_NUMBER_LAST = re.compile(rf"(?P<name>.+) (?P<number>[1-9\u0661-\u0669]{DIGIT}?)")
"""A number after the name, at most 99: the one in "Type 405" is a kind of flour."""
_HAS_DIGIT = re.compile(DIGIT)
