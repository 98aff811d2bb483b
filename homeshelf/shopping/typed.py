"""What somebody types, as entries: names, how many, and what else they said.

The script of the list has the same rules, for phones without a signal; `typed_cases.json` among the
tests holds both to them.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from homeshelf.folding import plain

LONGEST = 150
"""What is longer is no entry, and nobody has to work out what it could mean."""


@dataclass(frozen=True)
class TypedEntry:
    name: str
    quantity: int | None = None
    notes: str | None = None
    """How much of it, where that is no count: "500 g"."""


def understood(text: str, known: Collection[str] = ()) -> list[TypedEntry]:
    """Each entry of a text; commas and line breaks are between them.

    `known` are names that the family has, as `folded`: they are taken as they are, and a number
    behind one says how many. Elsewhere a number that may mean something else stays in the name.
    """
    return [_entry(part, known) for part in parted(text)]


def parted(text: str) -> list[str]:
    """The text of each entry, without what stands before it in a list."""
    parts = (_BULLETS.sub("", " ".join(part.split())) for part in _BETWEEN.split(text))
    return [part for part in parts if part]


def folded(name: str) -> str:
    """What names have in common that are the same to people: case and accents do not count."""
    return plain(" ".join(name.split()))


def _entry(text: str, known: Collection[str]) -> TypedEntry:
    if len(text) > LONGEST or folded(text) in known:
        return TypedEntry(text)
    quantity, rest = _times(text)
    pieces, notes, rest = _measured(rest)
    quantity = quantity or pieces
    if quantity is None:
        quantity, rest = _counted(rest, known)
    return TypedEntry(rest, quantity, notes)


def _times(text: str) -> tuple[int | None, str]:
    """ "2x milk", "milk x2", "milk 2x"."""
    for form in _TIMES_FORMS:
        if found := form.fullmatch(text):
            return int(found["number"]), found["name"]
    return None, text


def _measured(text: str) -> tuple[int | None, str | None, str]:
    """ "500 g mince", "mince 500 g", "2-3 onions"; "3 pcs lemons" are so many."""
    for found in _amounts(text):
        amount, unit = found["amount"], found["unit"]
        if folded(unit.rstrip(".")) not in _PIECES:
            return None, f"{amount} {unit}", found["name"]
        if _COUNT.fullmatch(amount):
            return int(amount), None, found["name"]
    if several := _RANGE.fullmatch(text):
        return None, several["amount"], several["name"]
    return None, None, text


def _amounts(text: str) -> Iterator[re.Match[str]]:
    """Where an amount with a unit stands at one end of the text."""
    for form, units in (
        (_LEADING_OF, _UNITS | _CONTAINERS_OF),
        (_LEADING, _UNITS),
        (_TRAILING, _UNITS),
    ):
        found = form.fullmatch(text)
        if found and folded(found["unit"].rstrip(".")) in units:
            yield found


def _counted(text: str, known: Collection[str]) -> tuple[int | None, str]:
    """ "2 milk", and "milk 2" where milk is known."""
    found = _NUMBER_FIRST.fullmatch(text)
    if found and folded(found["name"].split()[0]) not in _NO_THINGS:
        return int(found["number"]), found["name"]
    found = _NUMBER_LAST.fullmatch(text)
    if found and folded(found["name"]) in known:
        return int(found["number"]), found["name"]
    return None, text


def _words(text: str) -> frozenset[str]:
    return frozenset(map(folded, text.split()))


_MEASURES = _words(
    "mg g hg kg ml cl dl l mm cm m oz lb lbs pt qt gal "
    "gram grams gramm gramme grammes gramo gramos kilo kilos pfund pound pounds ounce ounces "
    "litre litres liter liters litro litros pint pints gallon gallons "
    "كيلو كغ غ غرام جرام لتر مل"
)
_CONTAINERS = _words(
    "bottles cans tins jars boxes bags packs packets cartons bunches loaves slices rolls pots cups "
    "dozen "
    "flasche flaschen dose dosen glas gläser packung packungen päckchen pck pkg beutel tüte tüten "
    "kiste kisten kasten kästen bund becher scheibe scheiben rolle rollen dutzend "
    "bouteille bouteilles boîte boîtes paquet paquets sachet sachets tranche tranches botte bottes "
    "rouleau rouleaux douzaine "
    "botella botellas lata latas paquete paquetes bolsa bolsas caja cajas tarro tarros docena "
    "flaska flaskor burk burkar paket påse påsar förpackning förpackningar ask askar knippe rulle "
    "rullar skiva skivor dussin "
    "علبة علب زجاجة زجاجات كيس أكياس"
)
_CONTAINERS_OF = _words(
    "bottle can tin jar box bag pack packet carton bunch loaf slice roll pot cup"
)
"""Which say how much only before "of": there are can openers and pot plants."""
_PIECES = _words(
    "pc pcs piece pieces stk st stück styck pièce pièces pieza piezas ud uds unidad unidades "
    "حبة حبات قطعة قطع"
)
_UNITS = _MEASURES | _CONTAINERS | _PIECES
_NO_THINGS = _MEASURES | {"x", "%", "in"}
"""What may follow a number and is nothing to buy so many of: "2 % milk", "3 in 1 oil"."""

_D = r"[0-9\u0660-\u0669]"
_BETWEEN = re.compile(rf"[\r\n\u2028\u2029;\u061b\u060c\u3001\uff0c]|(?<!{_D}),|,(?!{_D})")
"""A comma between digits is a decimal one, as most of Europe writes it: "1,5 l milk"."""
_BULLETS = re.compile(r"^(?:(?:[-*•·\u2013\u2014‣◦▪☐☑✓✔]|\[[ xX]?\]|[0-9]{1,3}[.)]) +){0,2}")
_X = r"[x\u00d7]"
_COUNT = re.compile(rf"[1-9\u0661-\u0669]{_D}{{0,2}}")
_NUMBER = rf"(?P<number>{_COUNT.pattern})"
_DECIMAL = rf"{_D}{{1,5}}(?:[.,\u066b]{_D}{{1,3}})?"
_FRACTION = r"[\u00bd\u00bc\u00be\u2153\u2154]"
_AMOUNT = (
    rf"(?P<amount>{_D}{{1,3}} ?{_FRACTION}|{_FRACTION}|(?:{_D}{{1,2}} )?{_D}{{1,2}}/{_D}{{1,2}}"
    rf"|{_DECIMAL}(?: ?[-\u2013] ?{_DECIMAL})?)"
)
_UNIT = r"(?P<unit>[^\W\d_]+\.?)"
_NAMED = r"(?P<name>.*[^\W\d_].*)"
_OF = r"(?:of|von|de la|del|des|du|de|av) |d['\u2019]"
_TIMES_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NUMBER} ?{_X} (?P<name>.+)",
        rf"(?P<name>.+) {_X} ?{_NUMBER}",
        rf"(?P<name>.+) {_NUMBER} ?{_X}",
    )
]
_LEADING_OF = re.compile(rf"{_AMOUNT} ?{_UNIT} (?:{_OF}){_NAMED}", re.IGNORECASE)
_LEADING = re.compile(rf"{_AMOUNT} ?{_UNIT} {_NAMED}", re.IGNORECASE)
_TRAILING = re.compile(rf"{_NAMED} {_AMOUNT} ?{_UNIT}", re.IGNORECASE)
_RANGE = re.compile(rf"(?P<amount>{_D}{{1,3}} ?[-\u2013] ?{_D}{{1,3}}) {_NAMED}")
_NUMBER_FIRST = re.compile(rf"{_NUMBER} {_NAMED}")
_NUMBER_LAST = re.compile(rf"(?P<name>.+) {_NUMBER}")
