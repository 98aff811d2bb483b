"""Sentences for people: written in English, and translated where they are shown.

    raise LastAdmin(detail=_("You are the last parent in {family}.", family=family.name))
    ngettext("{count} tag", "{count} tags", len(tags))

Both return a `Sentence`, which remembers its parts. Templates and JSON translate it and its values
(numbers, days, other sentences) into the reader's language; so does `translate`.
"""

import json
from datetime import date
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from markupsafe import Markup, escape

from homeshelf.languages import ENGLISH, Language, reader_language
from homeshelf.languages.formats import formats

CATALOGUES = Path(__file__).parent / "languages"


class Sentence(str):
    __slots__ = ("number", "one", "several", "values")
    one: str
    several: str
    number: int | None
    values: dict[str, Any]

    @classmethod
    def of(cls, one: str, several: str, number: int | None, values: dict[str, Any]) -> Self:
        made = cls(_filled(one if number in (None, 1) else several, number, values, ENGLISH))
        made.one, made.several, made.number, made.values = one, several, number, values
        return made

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __html__(self) -> Markup:
        return escape(translate(self))


def _(text: str, **values: Any) -> Sentence:
    """Return a sentence; names in braces stand for the values."""
    return Sentence.of(text, text, None, values)


def ngettext(one: str, several: str, count: int, **values: Any) -> Sentence:
    """Return a sentence about a number of things; `{count}` stands for the number."""
    return Sentence.of(one, several, count, values)


def translate(text: str, language: Language | None = None) -> str:
    """Translate a sentence, by default into the reader's language; return other text unchanged."""
    if not isinstance(text, Sentence):
        return text
    language = language or reader_language()
    catalogue = catalogue_of(language.code)
    found = (
        catalogue.gettext(text.one)
        if text.number is None
        else catalogue.ngettext(text.one, text.several, text.number)
    )
    return _filled(found, text.number, text.values, language)


def shown(value: Any, language: Language) -> Any:
    match value:
        case Markup():
            return value
        case str():
            text = translate(value, language)
            return f"{_ISOLATE}{text}{_END}" if language.is_rtl else text
        case int() | float() | Decimal():
            return formats(language).number(value)
        case date():
            return formats(language).day(value)
    return value


_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
"""Marks that keep a name in Latin letters from changing the direction of an Arabic sentence."""


def plural_forms(one: str, several: str) -> str:
    """Return the plural forms of a sentence as JSON, under the names that browsers use."""
    return _plural_forms(reader_language(), one, several)


@cache
def _plural_forms(language: Language, one: str, several: str) -> str:
    catalogue, numbers = catalogue_of(language.code), formats(language).plurals()
    forms = {name: catalogue.ngettext(one, several, count) for name, count in numbers.items()}
    return json.dumps(forms, ensure_ascii=False)


@cache
def catalogue_of(code: str) -> NullTranslations:
    if code == ENGLISH.code:
        return NullTranslations()
    # Loaded when first needed, because most installations use one language.
    from babel.messages.mofile import write_mo  # noqa: PLC0415
    from babel.messages.pofile import read_po  # noqa: PLC0415

    with (CATALOGUES / f"{code}.po").open("rb") as file:
        found = read_po(file, locale=code)
    for message in found:
        if not all(message.string or ()):  # an incomplete plural is shown in English
            message.string = ""
    compiled = BytesIO()
    write_mo(compiled, found)
    compiled.seek(0)
    return GNUTranslations(compiled)


def _filled(text: str, number: int | None, values: dict[str, Any], language: Language) -> str:
    if number is not None:
        values = {"count": number} | values
    if not values:
        return text
    return text.format_map({name: shown(value, language) for name, value in values.items()})
