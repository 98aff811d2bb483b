"""A default threshold by unit, where nobody typed one."""

from collections.abc import Mapping

from homeshelf.folding import plain

PIECES = 2
_STARTS = {
    250: "g gr grs gram grams gramm gramme grammes gramo gramos غ غم جم غرام غرامات جرام جرامات "
    "ml milliliter milliliters millilitre millilitres mililitro mililitros مل",
    25: "cl centiliter centiliters centilitre centilitres centilitro centilitros",
    8: "oz ounce ounces onza onzas",
    3: "hg hekto dl deciliter deciliters décilitre décilitres decilitro decilitros",
    1: "kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos "
    "كغ كغم كجم كلغ كيلو كيلوغرام كيلوجرام l lt lts ltr liter liters litre litres litro litros "
    "لتر ليتر لترات lb lbs pound pounds pfund libra libras pt pint pints qt gal gallon gallons",
}


def _word(unit: str) -> str:
    return plain(unit).strip().rstrip(".")


STARTS: Mapping[str, int] = {
    _word(unit): start for start, units in _STARTS.items() for unit in units.split()
}


def start_of(unit: str | None, quantity: int) -> int:
    """Return the default, at most the quantity: a new item does not run low at once."""
    start = STARTS.get(_word(unit or ""), PIECES)
    return min(start, quantity) if quantity else start
