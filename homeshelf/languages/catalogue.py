"""The catalogue of a language: compiled from its `.po` when somebody first reads it."""

from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from homeshelf.languages import ENGLISH

FOLDER = Path(__file__).parent


@cache
def catalogue_of(code: str) -> NullTranslations:
    """English has none: what is written is what is said."""
    if code == ENGLISH.code:
        return NullTranslations()
    # Not before somebody needs them: most houses speak one language.
    from babel.messages.mofile import write_mo  # noqa: PLC0415
    from babel.messages.pofile import read_po  # noqa: PLC0415

    with (FOLDER / f"{code}.po").open("rb") as file:
        found = read_po(file, locale=code)
    for message in found:
        if not all(message.string or ()):  # of some plurals: it is better said in English
            message.string = ""
    compiled = BytesIO()
    write_mo(compiled, found)
    compiled.seek(0)
    return GNUTranslations(compiled)
