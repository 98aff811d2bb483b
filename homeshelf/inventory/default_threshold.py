"""The default threshold of an item by its unit."""

from collections.abc import Mapping

from homeshelf.folding import plain

PIECES = 2
_UNITS_BY_THRESHOLD = {
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


DEFAULT_THRESHOLDS: Mapping[str, int] = {
    _word(unit): start for start, units in _UNITS_BY_THRESHOLD.items() for unit in units.split()
}


def default_threshold(unit: str | None, quantity: int) -> int:
    """Return at most the quantity, so that a new item is not low at once."""
    start = DEFAULT_THRESHOLDS.get(_word(unit or ""), PIECES)
    return min(start, quantity) if quantity else start
