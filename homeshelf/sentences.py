"""Sentences for people: written in English, and said in the reader's language where they are shown.

    raise LastAdmin(detail=_("You are the last admin of {family}.", family=family.name))
    ngettext("{count} tag", "{count} tags", len(tags))

Both give a `Sentence`: the English text, which remembers what it was made of. The page or
letter that shows one calls `said` with its reader's catalogue.
"""

import json
from gettext import NullTranslations
from typing import Any, Self

ENGLISH = NullTranslations()
"""What is written is what is said."""


class Sentence(str):
    __slots__ = ("number", "one", "several", "values")
    one: str
    several: str
    number: int | None
    values: dict[str, Any]

    @classmethod
    def of(cls, one: str, several: str, number: int | None, values: dict[str, Any]) -> Self:
        made = cls(_filled(one if number in (None, 1) else several, number, values))
        made.one, made.several, made.number, made.values = one, several, number, values
        return made

    def __deepcopy__(self, _: Any) -> Self:
        return self


def _(text: str, **values: Any) -> Sentence:
    """A sentence; names in braces stand for the values."""
    return Sentence.of(text, text, None, values)


def ngettext(one: str, several: str, count: int, **values: Any) -> Sentence:
    """A sentence about so many things; `{count}` stands for the number."""
    return Sentence.of(one, several, count, values)


def plural_forms(one: str, several: str) -> str:
    """What a script says about so many things, as JSON: by the names of plurals in browsers."""
    return json.dumps({"one": one, "other": several})


def said(text: str, catalogue: NullTranslations = ENGLISH) -> str:
    """The text for somebody who reads that language; what people wrote stays as it is."""
    if not isinstance(text, Sentence):
        return text
    found = (
        catalogue.gettext(text.one)
        if text.number is None
        else catalogue.ngettext(text.one, text.several, text.number)
    )
    parts = {
        name: said(part, catalogue) if isinstance(part, str) else part
        for name, part in text.values.items()
    }
    return _filled(found, text.number, parts)


def _filled(text: str, number: int | None, values: dict[str, Any]) -> str:
    if number is not None:
        values = {"count": f"{number:,}"} | values
    return text.format_map(values) if values else text
