"""Sentences for people: written in English, and said in the reader's language where they are shown.

    raise LastAdmin(detail=_("You are the last parent in {family}.", family=family.name))
    ngettext("{count} tag", "{count} tags", len(tags))

Both give a `Sentence`: the English text, which remembers what it was made of. A template or JSON
that shows one says it in the language of who reads; so does `said`. Values are said with it:
numbers and days as that language writes them, and sentences within the sentence.
"""

import json
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Self

from markupsafe import Markup, escape

from homeshelf.languages import ENGLISH, Language, reader_language
from homeshelf.languages.catalogue import catalogue_of
from homeshelf.languages.formats import formats


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
        """On a page."""
        return escape(said(self))


def _(text: str, **values: Any) -> Sentence:
    """A sentence; names in braces stand for the values."""
    return Sentence.of(text, text, None, values)


def ngettext(one: str, several: str, count: int, **values: Any) -> Sentence:
    """A sentence about so many things; `{count}` stands for the number."""
    return Sentence.of(one, several, count, values)


def said(text: str, language: Language | None = None) -> str:
    """The text for who reads it; what people wrote stays as it is."""
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
    """A value within a sentence, as the language writes it."""
    match value:
        case Markup():
            return value
        case str():
            text = said(value, language)
            return f"{_ISOLATE}{text}{_END}" if language.is_rtl else text
        case int() | float() | Decimal():
            return formats(language).number(value)
        case date():
            return formats(language).day(value)
    return value


_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
"""Around what people wrote: a name in Latin letters must not turn an Arabic sentence around."""


def plural_forms(one: str, several: str) -> str:
    """What a script says about so many things, as JSON: by the names of plurals in browsers."""
    return _plural_forms(reader_language(), one, several)


@cache
def _plural_forms(language: Language, one: str, several: str) -> str:
    catalogue, numbers = catalogue_of(language.code), formats(language).plurals()
    forms = {name: catalogue.ngettext(one, several, count) for name, count in numbers.items()}
    return json.dumps(forms, ensure_ascii=False)


def _filled(text: str, number: int | None, values: dict[str, Any], language: Language) -> str:
    if number is not None:
        values = {"count": number} | values
    if not values:
        return text
    return text.format_map({name: shown(value, language) for name, value in values.items()})
