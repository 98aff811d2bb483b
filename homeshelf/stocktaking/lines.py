"""Parsing of what people write in a cupboard: each line has a thing, a count and a place, such as
"Milk 2 l, fridge"; "Fridge:" is a heading for what follows. The page's script has the same rules;
`lines.json` among the tests holds both to them."""

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
    """What is counted, if it is not the thing itself: "l", "500 g"."""
    place: str | None = None


@dataclass(frozen=True)
class Names:
    """The names that the family has, as `folded`."""

    things: Collection[str] = ()
    places: Collection[str] = ()


NOTHING = Names()


def lines_in(text: str, names: Names = NOTHING, place: str | None = None) -> list[Line]:
    """Parse each thing once, adding up repeated ones. `place` is the first heading."""
    found: dict[tuple[str, str | None], Line] = {}
    for line in _each(text, names, place):
        key = fold_name(line.name), line.unit
        first = found.get(key)
        found[key] = replace(first, count=first.count + line.count) if first else line
    return list(found.values())


def _each(text: str, names: Names, heading: str | None) -> Iterator[Line]:
    for written in _BREAKS.split(text.replace("\t", ", ")):
        parts = split_entries(written)
        if len(parts) == 1 and (found := _HEADING.fullmatch(parts[0])):
            heading = found["place"]
        else:
            yield from _things(parts, heading, names)


def _things(parts: Sequence[str], heading: str | None, names: Names) -> Iterator[Line]:
    """Yield one thing with its place, or several that share one."""
    found: list[Line] = []
    for part in parts:
        count, unit = _amount(part)
        if found and (count or unit):
            last = found[-1]
            found[-1] = replace(last, count=count or last.count, unit=unit or last.unit)
        else:
            found.append(_thing(part, names.things))
    place = heading
    if len(found) > 1 and _is_place(parts[-1], len(found), names):
        place = parts[-1]
        found.pop()
    for line in found:
        yield replace(line, place=place)


def _is_place(part: str, things: int, names: Names) -> bool:
    """Whether a part is a place: any word behind one thing, a known place behind several."""
    name = fold_name(part)
    return name in names.places or (
        things == 2 and name not in names.things and not _NUMBERED.search(part)
    )


def _thing(text: str, known: Collection[str]) -> Line:
    (entry,) = parse_entries(text, known)
    if entry.quantity:
        return Line(entry.name, entry.quantity, entry.notes)
    if entry.notes:
        count, unit = _amount(entry.notes)
        return Line(entry.name, count or 1, unit if count else entry.notes)
    last = _NUMBER_LAST.fullmatch(entry.name)
    if last and has_letter(last["name"]) and fold_name(entry.name) not in known:
        return Line(last["name"], int(last["number"]))
    return Line(entry.name)


def _amount(text: str) -> tuple[int | None, str | None]:
    """Parse a count, a unit or both, and nothing else. Pieces need no unit."""
    found = _AMOUNT.fullmatch(text)
    unit = found and (found["unit"] or found["alone"])
    if not found or (unit and fold_word(unit) not in UNITS_OF):
        return None, None
    number = found["number"]
    return int(number) if number else None, unit if unit and fold_word(unit) not in PIECES else None


_BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
_HEADING = re.compile(r"(?P<place>.+?) ?[:\uff1a]")
_COUNT = rf"[1-9\u0661-\u0669]{DIGIT}{{0,4}}"
_WORD = r"[^ 0-9\u0660-\u0669]+"
_AMOUNT = re.compile(rf"(?P<number>{_COUNT})(?:[ -]?(?P<unit>{_WORD}))?|(?P<alone>{_WORD})")
_NUMBER_LAST = re.compile(rf"(?P<name>.+) (?P<number>[1-9\u0661-\u0669]{DIGIT}?)")
"""Up to 99: "Type 405" is flour."""
_NUMBERED = re.compile(DIGIT)
